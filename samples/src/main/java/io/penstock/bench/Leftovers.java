package io.penstock.bench;

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

    private static final Duration ENDING = Duration.ofMillis(100);

    private Leftovers() {}

    /** Blocks until they are gone. */
    public static void clear() {
        System.gc();
        Mono.delay(ENDING).block();
    }
}
