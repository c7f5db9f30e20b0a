package io.penstock.output;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Bytes that are not visible under their name before {@link #finish}, and leave nothing that is if that never comes.
 * Written by one thread at a time, {@link #close} called by any. Everything blocks.
 */
public interface UnfinishedOutput extends AutoCloseable {

    /** Where it will be, in words for messages. */
    String location();

    /** Appends the remaining bytes of all, which are the caller's again afterwards. */
    void append(ByteBuffer... bytes) throws IOException;

    /**
     * Writes over the first bytes, such as a header that tells how much follows.
     * @throws IllegalArgumentException if these are more than 64 KiB, or more than were appended
     */
    void writeStart(ByteBuffer bytes) throws IOException;

    /** How many bytes were appended. */
    long size();

    /** Gives it its name, with every byte where it stays. Replaces what has the name. */
    void finish() throws IOException;

    /**
     * Throws away what is not finished; does nothing after {@link #finish}.
     * @throws StoreException if that fails
     */
    @Override
    void close();
}
