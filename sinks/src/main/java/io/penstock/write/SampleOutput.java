package io.penstock.write;

import io.penstock.stream.Sample;
import java.io.IOException;

/** What lays samples out in a file, or in several at once. One thread at a time. */
interface SampleOutput<T> extends AutoCloseable {

    /** Appends a sample that has a value. */
    void append(Sample<T> sample) throws IOException;

    /**
     * Writes what ends the file and gives it its name.
     * @param samples that were appended
     * @param absent  that had no value, and were not
     */
    Written finish(long samples, long absent) throws IOException;

    /** Throws away what was not finished; by any thread. */
    @Override
    void close();
}
