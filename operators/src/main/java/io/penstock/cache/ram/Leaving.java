package io.penstock.cache.ram;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Memory that was given up, but is not back with the system: a view of it may still be read, and only the collector
 * knows. Not thread-safe: {@link Slabs} calls it under its lock.
 */
final class Leaving {

    private final ReferenceQueue<ByteBuffer> gone = new ReferenceQueue<>();
    private final Map<Reference<?>, Long> sizes = new HashMap<>();
    private long bytes;

    void add(ByteBuffer memory, long resident) {
        sizes.put(new PhantomReference<>(memory, gone), resident);
        bytes += resident;
    }

    /** How many bytes the collector has not returned yet. */
    long bytes() {
        for (Reference<?> one = gone.poll(); one != null; one = gone.poll()) {
            Long size = sizes.remove(one);
            bytes -= size == null ? 0 : size;
        }
        return bytes;
    }
}
