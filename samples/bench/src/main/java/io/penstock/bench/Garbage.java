package io.penstock.bench;

import java.lang.ref.Cleaner;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Garbage and mappings that one measurement leaves to the next. Mappings end some time after the collector has found
 * them. Unmapping a cache of 300 MB in RAM takes 50 ms of processor time.
 */
public final class Garbage {

    /** Without it the heap returns what a collection frees, and the next measurement pays for touching it again. */
    public static final List<String> FLAGS = List.of("-XX:MaxHeapFreeRatio=100");

    private static final int PATIENCE = 60;
    private static final Cleaner FOUND = Cleaner.create();

    private Garbage() {}

    /**
     * Collects, and blocks until all that was mapped and left is unmapped.
     *
     * <p>A collector hands on what it found as one list, and the JVM's thread that unmaps takes the next list when the
     * last one is done. So what the first collection found is unmapped once something that the second found is told.
     */
    public static void clear() {
        collect();
        collect();
    }

    private static void collect() {
        CompletableFuture<Void> found = new CompletableFuture<>();
        FOUND.register(new Object(), () -> found.complete(null));
        System.gc();
        found.completeOnTimeout(null, PATIENCE, TimeUnit.SECONDS).join(); // a JVM may refuse to collect
    }
}
