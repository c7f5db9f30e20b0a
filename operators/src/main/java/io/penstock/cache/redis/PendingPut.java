package io.penstock.cache.redis;

import io.penstock.pipeline.SampleKey;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A value that waits until the server has it, and is served from here meanwhile.
 *
 * @param name what the server is to know it by
 * @param done whether the server holds it, once that is known; never fails
 */
record PendingPut(SampleKey key, byte[] name, ByteBuffer value, CompletableFuture<Boolean> done) {

    private static final int BESIDE = 64; // a hash table's entry, an object's header, what the allocator rounds up

    PendingPut(SampleKey key, byte[] name, ByteBuffer value) {
        this(key, name, value.slice(), new CompletableFuture<>());
    }

    ByteBuffer view() {
        return value.asReadOnlyBuffer();
    }

    /** About what the server needs for it. */
    long bytes() {
        return bytes(name.length, Envelope.HEADER + value.remaining());
    }

    static long bytes(int name, long sealed) {
        return BESIDE + name + sealed;
    }
}
