package io.penstock.cache.redis;

import io.penstock.cache.SampleKey;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import reactor.core.publisher.Mono;

/** A value that waits until the server has it, and is served from here meanwhile. */
final class PendingPut {

    private static final int BESIDE = 64; // a hash table's entry, an object's header, what the allocator rounds up

    private final SampleKey key;
    private final byte[] name;
    private final ByteBuffer value;
    private final CompletableFuture<Boolean> done = new CompletableFuture<>();

    PendingPut(SampleKey key, byte[] name, ByteBuffer value) {
        this.key = key;
        this.name = name;
        this.value = value.slice();
    }

    SampleKey key() {
        return key;
    }

    /** What the server is to know it by. */
    byte[] name() {
        return name;
    }

    ByteBuffer value() {
        return value;
    }

    /** Whether the server holds it, once that is known; never fails. */
    Mono<Boolean> fate() {
        return Mono.fromFuture(done, true);
    }

    /** Runs it once that is known; now if it is. */
    void afterwards(Runnable action) {
        CompletionStage<Boolean> known = done;
        known.whenComplete((held, never) -> action.run());
    }

    void done(boolean held) {
        done.complete(held);
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
