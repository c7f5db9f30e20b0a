package io.penstock.bench;

import java.util.List;

/** One measurement, or several that share their preparations. */
public interface Benchmark {

    /** Its name on the command line. */
    String name();

    /** The JVM flags that it needs beside those of this process. */
    default List<String> flags() {
        return List.of();
    }

    /**
     * Whether it writes files to {@link BenchOptions#out}, and continues there after an interruption. Such a benchmark
     * runs only if its name is given.
     */
    default boolean leavesFiles() {
        return false;
    }

    /** Measures for seconds on the caller's thread and on the threads of the measured code. */
    List<Result> run(BenchOptions options);
}
