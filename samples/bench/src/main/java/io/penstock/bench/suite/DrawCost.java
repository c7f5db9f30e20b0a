package io.penstock.bench.suite;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Time and allocation of a draw and of resuming, by JMH, each in a JVM of its own unless the run is quick. */
public final class DrawCost implements Benchmark {

    private static final double MAX_NANOS = 50;
    private static final double MAX_NANOS_MIXED = 100;
    private static final int ROW = 10;
    private static final long MANY = 1_000_000_000;
    private static final long MANY_FILTERED = 100_000_000;
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    @Override
    public String name() {
        return "draws";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        options.progress().accept("draws: JMH is running");
        List<Result> results = new ArrayList<>();
        Collection<RunResult> filtered = measured(
                options,
                new OptionsBuilder()
                        .include("\\b" + DrawLoop.class.getSimpleName() + "\\b")
                        .param("order", DrawLoop.FILTERED)
                        .param("samples", "1000000", Long.toString(MANY_FILTERED)));
        Collection<RunResult> others = measured(
                options,
                new OptionsBuilder()
                        .include("\\b" + DrawLoop.class.getSimpleName() + "\\b")
                        .include("\\b" + ResumeLoop.class.getSimpleName() + "\\b")
                        .param("samples", "1000", Long.toString(MANY)));
        for (RunResult result :
                Stream.concat(others.stream(), filtered.stream()).toList()) {
            long samples = Long.parseLong(result.getParams().getParam("samples"));
            String order = result.getParams().getParam("order");
            boolean grouped = result.getParams().getBenchmark().endsWith(".group");
            String act = order == null ? "resuming" : grouped ? "a draw in a group" : "a draw";
            String what =
                    "%s, n = %,d".formatted(order == null ? result.getParams().getParam("mode") : order, samples);
            Result time = Result.of(what + ": " + act, result.getPrimaryResult().getScore(), "ns");
            // a draw by weights waits for memory: its table is larger than a processor's cache
            boolean mixed = order != null && order.startsWith(DrawLoop.MIXED);
            boolean held = order != null && (mixed || order.matches("shuffled|.*rank.*")) && samples >= MANY_FILTERED;
            double max = mixed ? MAX_NANOS_MIXED : MAX_NANOS;
            results.add(held ? time.atMost(ROW, max) : time);
            result.getSecondaryResults().forEach((label, second) -> {
                if (label.contains(ALLOCATED)) {
                    results.add(Result.of(what + ": allocated for " + act, second.getScore(), "B"));
                }
            });
        }
        return results;
    }

    private static Collection<RunResult> measured(BenchOptions options, ChainedOptionsBuilder which) {
        // JMH's lock would fail beside another JMH on this machine
        System.setProperty("jmh.ignoreLock", "true");
        TimeValue iteration = TimeValue.milliseconds(options.choose(500, 30));
        try {
            return new Runner(which.mode(Mode.AverageTime)
                            .timeUnit(TimeUnit.NANOSECONDS)
                            .forks(options.choose(1, 0)) // a quick run has no time for a JVM each
                            .warmupIterations(options.choose(4, 2))
                            .warmupTime(iteration)
                            .measurementIterations(options.choose(8, 3))
                            .measurementTime(iteration)
                            .addProfiler(GCProfiler.class)
                            .verbosity(VerboseMode.SILENT)
                            .build())
                    .run();
        } catch (RunnerException e) {
            throw new IllegalStateException("JMH cannot run: " + e.getMessage(), e);
        }
    }
}
