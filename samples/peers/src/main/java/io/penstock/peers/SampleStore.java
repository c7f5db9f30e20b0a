package io.penstock.peers;

import java.nio.ByteBuffer;

/** A persisted cache of values by key. */
interface SampleStore extends AutoCloseable {

    void put(long key, ByteBuffer value) throws Exception;

    /** Called between the puts and the reads. */
    default void settle() {}

    /** Copies a value to a place of a batch. */
    void read(long key, ByteBuffer batch, int at) throws Exception;

    @Override
    default void close() {}
}
