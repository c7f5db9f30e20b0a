package io.penstock.spark;

import io.penstock.cli.AddedCommand;
import io.penstock.cli.Main;
import io.penstock.cli.cache.Warming;
import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.materialize.MaterializeCommand;
import io.penstock.cli.materialize.MaterializeFlags;
import io.penstock.cli.materialize.MaterializeTarget;
import io.penstock.cli.materialize.Sharding;
import io.penstock.cli.source.Cacheable;
import io.penstock.fault.DataException;
import io.penstock.order.Shard;
import io.penstock.output.OutputStore;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.broadcast.Broadcast;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code materialize} as a job on Apache Spark: what {@code spark-submit} starts, on the master it names, or on this
 * machine's processors.
 *
 * <p>A task is a rank of the job, and does what that rank's process would do. So what Spark does to a task is harmless:
 * one that is repeated passes over what is there, and two that run at once load a sample twice at most, or write the
 * same bytes to files that get their names at the end.
 */
@Command(
        name = "spark-materialize",
        sortOptions = false,
        usageHelpWidth = 100,
        description = "Run the deterministic part of a pipeline as a job on Apache Spark, into a shared cache or tar "
                + "shards. An interrupted job continues when it is repeated.")
public final class SparkMaterialize implements AddedCommand {

    private static final String MASTER = "spark.master";
    private static final String LOCAL = "local";
    private static final String LOOPBACK = "127.0.0.1";
    private static final int TASKS_A_PROCESSOR = 4;

    @Mixin
    private final OutputFlags flags = new OutputFlags();

    @Mixin
    private final MaterializeFlags job = new MaterializeFlags();

    @Option(names = "--tasks", paramLabel = "N", converter = NumberFlag.Members.class)
    private @Nullable Integer tasks;

    @Spec
    private CommandSpec spec;

    /** Runs the job. Exits only where it failed: a master that started this program takes an exit for a failure. */
    public static void main(String[] arguments) {
        int status = Main.run(arguments);
        if (status != 0) {
            System.exit(status);
        }
    }

    /** The flags of a job, as an executor is sent them. */
    static MaterializeFlags flags(List<String> arguments) {
        CommandLine.ParseResult parsed = Main.commandLine().parseArgs(arguments.toArray(String[]::new));
        return ((SparkMaterialize) parsed.subcommand().commandSpec().userObject()).job;
    }

    @Override
    public Integer call() {
        Cacheable<?> samples;
        try {
            job.requireConsistent();
            samples = job.open();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        try (JavaSparkContext spark = new JavaSparkContext(settings())) {
            return run(spark, samples);
        }
    }

    /** Those of {@code spark-submit}; without it, this machine alone, to which nothing else connects. */
    private static SparkConf settings() {
        SparkConf settings = new SparkConf().setIfMissing("spark.app.name", "penstock materialize");
        return settings.contains(MASTER)
                ? settings
                : settings.set(MASTER, LOCAL + "[*]")
                        .setIfMissing("spark.ui.enabled", "false")
                        .setIfMissing("spark.driver.host", LOOPBACK)
                        .setIfMissing("spark.driver.bindAddress", LOOPBACK);
    }

    private int run(JavaSparkContext spark, Cacheable<?> samples) {
        MaterializeTarget target = job.target();
        if (target instanceof MaterializeTarget.Cache cache
                && cache.local()
                && !spark.master().startsWith(LOCAL)) {
            throw new IllegalArgumentException(
                    "disk:DIR is the disk of one machine, and %s may be many; use redis:URI or tar:DIR"
                            .formatted(spark.master()));
        }
        if (target instanceof MaterializeTarget.Topic) {
            throw new IllegalArgumentException("kafka:HOST:PORT/TOPIC is for materialize, with a rank a partition");
        }
        long started = System.nanoTime();
        long size = samples.dataset().size();
        Broadcast<SparkWork> work = spark.broadcast(new SparkWork(
                spec.commandLine().getParseResult().originalArgs(),
                samples.dataset().fingerprint().hex()));
        if (target instanceof MaterializeTarget.Tar tar) {
            int parts = parts(shards(samples, tar));
            return run(spark, parts, part -> work.value().write(Shard.of(part, parts))).stream()
                    .reduce(Sharding.Outcome::and)
                    .orElseThrow()
                    .in(seconds(started))
                    .report(flags, MaterializeCommand.MATERIALIZED);
        }
        int parts = parts(Math.min(size, (long) TASKS_A_PROCESSOR * spark.defaultParallelism()));
        return run(spark, parts, part -> work.value().fill(Shard.of(part, parts))).stream()
                .reduce(Warming.Outcome::and)
                .orElseThrow()
                .in(seconds(started))
                .report(flags, MaterializeCommand.MATERIALIZED, job.skips(), false);
    }

    private long shards(Cacheable<?> samples, MaterializeTarget.Tar tar) {
        try (OutputStore output = tar.place().output()) {
            return job.shards(samples, output, failure -> {}).shards();
        }
    }

    private int parts(long best) {
        return tasks == null ? (int) Math.max(1, Math.min(best, Integer.MAX_VALUE)) : tasks;
    }

    private static double seconds(long started) {
        return (System.nanoTime() - started) / 1e9;
    }

    private static <R> List<R> run(JavaSparkContext spark, int parts, Function<Integer, R> task) {
        List<Integer> numbers = IntStream.range(0, parts).boxed().toList();
        JavaRDD<Integer> each = spark.parallelize(new ArrayList<>(numbers), parts);
        try {
            return each.map(task).collect();
        } catch (Exception e) { // Scala's are not declared
            throw cause(e);
        }
    }

    /** Spark puts the stack traces of both sides into a message; a task's own failure says it in a line. */
    private static RuntimeException cause(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DataException || cause instanceof IllegalArgumentException) {
                return (RuntimeException) cause;
            }
        }
        String words = String.valueOf(failure.getMessage());
        return new IllegalStateException(words.lines().findFirst().orElse(words), failure);
    }
}
