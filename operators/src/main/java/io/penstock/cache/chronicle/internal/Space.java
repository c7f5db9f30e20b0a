package io.penstock.cache.chronicle.internal;

import java.io.IOException;
import java.nio.file.Path;

/** Claims room on the file system before it is written to: a mapped write into a full one would end the process. */
public interface Space {

    /**
     * Makes an empty file with so much room for growing.
     * @throws IOException if there is not so much
     */
    void reserve(Path file, long bytes) throws IOException;

    /** Gives back what a file has from one position to another; nothing of it is needed any more. */
    void trim(Path file, long from, long to) throws IOException;

    /** Bytes that this process could still write there. */
    long free() throws IOException;
}
