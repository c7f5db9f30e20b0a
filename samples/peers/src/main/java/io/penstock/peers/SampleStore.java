package io.penstock.peers;

import java.nio.ByteBuffer;

/** What a persisted cache does in a warm epoch: gives the bytes of a key, into a place of a batch. */
interface SampleStore extends AutoCloseable {

    String name();

    void put(long key, ByteBuffer value);

    /** Called between the puts and the reads. */
    default void settle() {}

    void read(long key, ByteBuffer batch, int at);

    @Override
    void close();
}
