package io.penstock.bench;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Garbage and mappings that one measurement leaves to the next. Mappings end some time after the collector has found
 * them. Unmapping a cache of 300 MB in RAM takes 50 ms of processor time.
 */
public final class Garbage {

    /** Without it the heap returns what a collection frees, and the next measurement pays for touching it again. */
    public static final List<String> FLAGS = List.of("-XX:MaxHeapFreeRatio=100");

    private static final Duration INTERVAL = Duration.ofMillis(50);
    private static final BufferPoolMXBean MAPPED = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("mapped"))
            .findFirst()
            .orElseThrow();

    private Garbage() {}

    /** Collects, and blocks until no more memory is unmapped. */
    public static void clear() {
        System.gc();
        long before;
        do {
            before = MAPPED.getMemoryUsed();
            Mono.delay(INTERVAL).block();
        } while (MAPPED.getMemoryUsed() < before);
    }
}
