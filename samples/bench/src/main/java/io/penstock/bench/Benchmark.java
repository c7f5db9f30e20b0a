package io.penstock.bench;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One row of the table of benchmarks.
 *
 * @param name     on the command line
 * @param measures what it measures, in half a line
 * @param flags    of the JVM that it needs beside those of this process
 * @param isLong   whether it takes minutes, so that it runs only if its name is given
 * @param work     measures on the caller's thread and on the threads of the measured code
 */
public record Benchmark(String name, String measures, List<String> flags, boolean isLong, Consumer<Bench> work) {

    public static Benchmark of(String name, String measures, Consumer<Bench> work) {
        return new Benchmark(name, measures, List.of(), false, work);
    }

    /** An experiment: it takes minutes, leaves charts, and no trial pays for the garbage of another. */
    public static Benchmark experiment(String name, String measures, Consumer<Bench> work) {
        return new Benchmark(name, measures, Garbage.FLAGS, true, work);
    }

    /** The same in a JVM with these flags. */
    public Benchmark in(List<String> more) {
        return new Benchmark(
                name, measures, Stream.concat(flags.stream(), more.stream()).toList(), isLong, work);
    }

    /** Benchmarks of another module, by the service loader. */
    public interface Added {
        List<Benchmark> benchmarks();
    }
}
