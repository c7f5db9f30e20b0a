package io.penstock.output;

import io.penstock.fault.StoreException;
import java.util.Optional;
import java.util.Set;

/**
 * Takes outputs by name, each complete or absent. Implementations are thread-safe; all methods block, so none is for a
 * thread that must not.
 */
public interface OutputStore extends AutoCloseable {

    /** Where this is, in words for messages: a folder's path, or {@code s3://BUCKET/PREFIX/}. */
    String location();

    /** Where an output of this name is, in words. */
    String location(String name);

    /**
     * Begins an output, which takes its name when it is finished, in place of one that may have it.
     * @throws StoreException if it cannot be made
     */
    UnfinishedOutput open(String name);

    /**
     * The names of all that is finished here; empty where there is nothing.
     * @throws StoreException if it cannot be listed
     */
    Set<String> names();

    /**
     * Whether an output of this name is finished.
     * @throws StoreException if that cannot be said
     */
    boolean has(String name);

    /**
     * The bytes of a finished output; empty if there is none of this name.
     * @throws StoreException if it cannot be read, or has more bytes than this
     */
    Optional<byte[]> find(String name, int max);

    /** Throws away what is not finished, and lets go of what is open. */
    @Override
    void close();
}
