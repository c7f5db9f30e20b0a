package io.penstock.bench.suite;

import io.penstock.bench.Bench;
import java.util.concurrent.TimeUnit;
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
public final class DrawCost {

    private static final double MAX_NANOS = 50;
    private static final double MAX_NANOS_MIXED = 100;
    private static final String FEW = "1000";
    private static final String MANY = "1000000000";
    private static final long MANY_FILTERED = 100_000_000;
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private DrawCost() {}

    public static void run(Bench bench) {
        bench.progress("draws: JMH is running");
        measure(bench, of("(draw|group)").param("samples", FEW, MANY));
        measure(bench, of("resume").param("samples", FEW, MANY).param("order", "rank 3 of 8", "stable rank 3 of 8"));
        ChainedOptionsBuilder filtered = of("(draw|group)").param("samples", "1000000", Long.toString(MANY_FILTERED));
        measure(bench, filtered.param("order", DrawLoop.FILTERED));
        ChainedOptionsBuilder windows = of("(draw|group)").param("samples", MANY);
        measure(bench, windows.param("order", DrawLoop.WINDOWS, DrawLoop.STRIDES));
    }

    private static ChainedOptionsBuilder of(String methods) {
        return new OptionsBuilder().include("\\b%s\\.%s$".formatted(DrawLoop.class.getSimpleName(), methods));
    }

    private static void measure(Bench bench, ChainedOptionsBuilder which) {
        // JMH's lock would fail beside another JMH on this machine
        System.setProperty("jmh.ignoreLock", "true");
        TimeValue iteration = TimeValue.milliseconds(bench.choose(500, 30));
        try {
            new Runner(which.mode(Mode.AverageTime)
                            .timeUnit(TimeUnit.NANOSECONDS)
                            .forks(bench.choose(1, 0)) // a quick run has no time for a JVM each
                            .warmupIterations(bench.choose(4, 2))
                            .warmupTime(iteration)
                            .measurementIterations(bench.choose(8, 3))
                            .measurementTime(iteration)
                            .addProfiler(GCProfiler.class)
                            .verbosity(VerboseMode.SILENT)
                            .build())
                    .run()
                    .forEach(result -> report(bench, result));
        } catch (RunnerException e) {
            throw new IllegalStateException("JMH cannot run: " + e.getMessage(), e);
        }
    }

    private static void report(Bench bench, RunResult result) {
        long samples = Long.parseLong(result.getParams().getParam("samples"));
        String order = result.getParams().getParam("order");
        String name = result.getParams().getBenchmark();
        String act = name.endsWith(".resume") ? "resuming" : name.endsWith(".group") ? "a draw in a group" : "a draw";
        String what = "%s, n = %,d: ".formatted(order, samples);
        double nanos = result.getPrimaryResult().getScore();
        boolean mixed = order.startsWith(DrawLoop.MIXED) || order.startsWith(DrawLoop.WINDOWS);
        if (samples >= MANY_FILTERED && !act.equals("resuming")) {
            bench.atMost(mixed ? MAX_NANOS_MIXED : MAX_NANOS, what + act, nanos, "ns");
        } else {
            bench.found(what + act, nanos, "ns");
        }
        result.getSecondaryResults().forEach((label, second) -> {
            if (label.contains(ALLOCATED)) {
                bench.found(what + "allocated for " + act, second.getScore(), "B");
            }
        });
    }
}
