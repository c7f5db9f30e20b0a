package io.penstock.bench;

import java.util.List;

/** One measurement, or several that share their preparations. */
public interface Benchmark {

    /** What the command line calls it. */
    String name();

    /** What it measures, in half a line. */
    String about();

    /** What its virtual machine needs beside the flags of this one. */
    default List<String> flags() {
        return List.of();
    }

    /** Whether it leaves files in {@link Effort#out}, and goes on there if it was stopped. */
    default boolean leavesFiles() {
        return false;
    }

    /** Whether it runs only when it is asked for. */
    default boolean onlyByName() {
        return leavesFiles();
    }

    /** Measures; runs for seconds, on the caller's thread and whatever threads the measured code has. */
    List<Finding> run(Effort effort);
}
