package io.penstock.write;

import io.penstock.output.UnfinishedOutput;
import io.penstock.stream.Sample;
import java.io.IOException;

/** Lays samples out in a file or an object. One thread at a time. */
abstract class SampleOutput<T> implements AutoCloseable {

    final UnfinishedOutput file;

    SampleOutput(UnfinishedOutput file) {
        this.file = file;
    }

    /** Appends a sample that has a value. */
    abstract void append(Sample<T> sample) throws IOException;

    /** Writes what ends the file, after this number of samples. */
    abstract void end(long samples) throws IOException;

    /**
     * Ends the file and gives it its name.
     * @param samples that were appended
     * @param absent  that had no value, and were not
     */
    final Written finish(long samples, long absent) throws IOException {
        end(samples);
        file.finish();
        return new Written(file.location(), samples, absent, file.size());
    }

    /** Throws away what was not finished; by any thread. */
    @Override
    public final void close() {
        file.close();
    }
}
