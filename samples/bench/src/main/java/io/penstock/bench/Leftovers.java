package io.penstock.bench;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * What a measurement leaves to the next one: garbage, and mappings, which end a while after the collector has found them.
 * Unmapping a cache of 300 MB in RAM takes 50 ms of processor time.
 */
public final class Leftovers {

    /** A heap that gives back what a collection frees must touch it anew, in the time of whoever is measured next. */
    public static final List<String> FLAGS = List.of("-XX:MaxHeapFreeRatio=100");

    private static final Duration LOOK = Duration.ofMillis(50);
    private static final BufferPoolMXBean MAPPED = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("mapped"))
            .findFirst()
            .orElseThrow();

    private Leftovers() {}

    /** Collects, and blocks until nothing is unmapped any more. */
    public static void clear() {
        System.gc();
        long before;
        do {
            before = MAPPED.getMemoryUsed();
            Mono.delay(LOOK).block();
        } while (MAPPED.getMemoryUsed() < before);
    }
}
