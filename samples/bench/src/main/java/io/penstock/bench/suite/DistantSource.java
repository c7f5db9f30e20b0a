package io.penstock.bench.suite;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.DistantFiles;
import io.penstock.bench.LateDataset;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.store.http.HttpOptions;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.List;

/** Samples a second from a source that answers after 5 ms, with 64 in flight, against 64 / 5 ms. */
public final class DistantSource implements Benchmark {

    private static final Duration LATENCY = Duration.ofMillis(5);
    private static final int IN_FLIGHT = 64;
    private static final int BYTES = 1024;
    private static final int ROW = 7;
    private static final double MUST_REACH = 95;

    @Override
    public String name() {
        return "distant";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        try (DistantFiles files = DistantFiles.serve(LATENCY, new byte[BYTES], HttpOptions.standard())) {
            return measure(options, files);
        }
    }

    private static List<Result> measure(BenchOptions options, DistantFiles files) {
        int samples = options.choose(64_000, 1_280);
        Dataset<Tensor> timed = new LateDataset(MemoryDataset.generate("distant", samples, Tensor::scalar), LATENCY);
        int alone = options.choose(100, 20);
        double ideal = IN_FLIGHT / (LATENCY.toNanos() / 1e9);
        Rounds rounds = options.rounds(
                "distant",
                1,
                options.choose(5, 2),
                List.of(
                        () -> samplesPerSecond(timed),
                        () -> 1e3 * files.bareSeconds(alone),
                        () -> samplesPerSecond(files.dataset(samples))));
        double bare = rounds.median(1);
        double http = rounds.median(2);
        return List.of(
                Result.of("5 ms, 64 in flight", rounds.median(0), "samples/s"),
                Result.of("of 64 / 5 ms", 100 * rounds.median(0) / ideal, "%").atLeast(ROW, MUST_REACH),
                Result.of("HTTP, 1 KiB 5 ms late: by a plain socket, one at a time", bare, "ms"),
                Result.of("HTTP, 64 in flight", http, "samples/s"),
                Result.of("HTTP, of 64 / 5 ms", 100 * http / ideal, "%"),
                Result.of("HTTP, of 64 / the plain socket's time", 100 * http * bare / 1e3 / IN_FLIGHT, "%")
                        .atLeast(ROW, MUST_REACH));
    }

    private static double samplesPerSecond(Dataset<?> dataset) {
        long started = System.nanoTime();
        dataset.stream(Sampler.shuffled(42), Execution.standard().inFlight(IN_FLIGHT))
                .blockLast();
        return dataset.size() / ((System.nanoTime() - started) / 1e9);
    }
}
