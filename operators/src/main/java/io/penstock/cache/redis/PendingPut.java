package io.penstock.cache.redis;

import io.penstock.cache.SampleKey;
import io.penstock.cache.internal.WriteBehind;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;

/** A value that waits until the server has it. */
final class PendingPut extends WriteBehind.Write {

    private static final int BESIDE = 64; // a hash table's entry, an object's header, what the allocator rounds up

    private final byte[] name;

    PendingPut(SampleKey key, byte[] name, ByteBuffer value) {
        super(key, Encoded.of(value.slice()));
        this.name = name;
    }

    /** The key in the server. */
    byte[] name() {
        return name;
    }

    Frame sealed() {
        return Envelope.seal(key(), value().joined());
    }

    @Override
    public long bytes() {
        return bytes(name.length, Envelope.HEADER + value().length());
    }

    /** About what the server needs for a value. */
    static long bytes(int name, long sealed) {
        return BESIDE + name + sealed;
    }
}
