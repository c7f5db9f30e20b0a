package io.penstock.bench.suite;

import io.penstock.bench.Bench;
import io.penstock.bench.DistantFiles;
import io.penstock.bench.LateDataset;
import io.penstock.bench.Rounds;
import io.penstock.bench.Seconds;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.store.http.HttpOptions;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.List;

/** Samples a second from a source that answers after 5 ms, with 64 in flight, against 64 / 5 ms. */
public final class DistantSource {

    private static final Duration LATENCY = Duration.ofMillis(5);
    private static final int IN_FLIGHT = 64;
    private static final int BYTES = 1024;
    private static final double MUST_REACH = 95;

    private DistantSource() {}

    public static void run(Bench bench) {
        int samples = bench.choose(64_000, 1_280);
        int alone = bench.choose(100, 20);
        Dataset<Tensor> timed = LateDataset.of(MemoryDataset.generate("distant", samples, Tensor::scalar), LATENCY);
        try (DistantFiles files = DistantFiles.serve(LATENCY, new byte[BYTES], HttpOptions.standard())) {
            Rounds rounds = bench.rounds(
                    "distant",
                    1,
                    bench.choose(5, 2),
                    List.of(
                            () -> samplesPerSecond(timed),
                            () -> 1e3 * files.bareSeconds(alone),
                            () -> samplesPerSecond(files.dataset(samples))));
            double ideal = IN_FLIGHT / (LATENCY.toNanos() / 1e9);
            double bare = rounds.median(1);
            double http = rounds.median(2);
            bench.found("5 ms, 64 in flight", rounds.median(0), "samples/s");
            bench.atLeast(MUST_REACH, "of 64 / 5 ms", 100 * rounds.median(0) / ideal, "%");
            bench.found("HTTP, 1 KiB 5 ms late: by a plain socket, one at a time", bare, "ms");
            bench.found("HTTP, 64 in flight", http, "samples/s");
            bench.found("HTTP, of 64 / 5 ms", 100 * http / ideal, "%");
            double share = 100 * http * bare / 1e3 / IN_FLIGHT;
            bench.atLeast(MUST_REACH, "HTTP, of 64 / the plain socket's time", share, "%");
        }
    }

    private static double samplesPerSecond(Dataset<?> dataset) {
        Execution execution = Execution.standard().inFlight(IN_FLIGHT);
        return dataset.size()
                / Seconds.of(
                        () -> dataset.stream(Sampler.shuffled(42), execution).blockLast());
    }
}
