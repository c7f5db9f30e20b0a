package io.penstock.metrics;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.cache.Cache;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import reactor.core.publisher.Mono;

/** What metrics cost: warm epochs of 1 KiB samples without them, bound, and with latency too, in turn. */
final class MetricsFigures {

    private static final int SAMPLES = 100_000;
    private static final int ROUNDS = 30;
    private static final Schema<Tensor> SCHEMA = Schema.tensor("value");

    private MetricsFigures() {}

    private static final class Records implements Dataset<Tensor> {
        @Override
        public long size() {
            return SAMPLES;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("records");
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.fromCallable(() -> Tensor.ofBytes(new byte[1024]));
        }
    }

    private static double epoch(Pipeline<Tensor> pipeline, int number) {
        long started = System.nanoTime();
        pipeline.stream(Sampler.shuffled(number)).blockLast(Duration.ofMinutes(1));
        return (System.nanoTime() - started) / (double) SAMPLES;
    }

    public static void main(String[] arguments) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Tier plain = RamTier.ofBytes(200 << 20);
                Cache bound = Cache.of(RamTier.ofBytes(200 << 20));
                Cache timed = TierMetrics.timed(Cache.of(RamTier.ofBytes(200 << 20)), registry)) {
            List<Dataset<Tensor>> all = List.of(
                    new Records().cache(plain, SCHEMA),
                    new Records().cache(bound, SCHEMA),
                    new Records().cache(timed, SCHEMA));
            new TierMetrics(bound).bindTo(registry);
            new PipelineMetrics(all.get(1)).bindTo(registry);
            double[][] nanos = new double[3][ROUNDS];
            for (int round = -10; round < ROUNDS; round++) {
                for (int way = 0; way < 3; way++) {
                    double took = epoch(all.get(way), round + 10);
                    if (round >= 0) {
                        nanos[way][round] = took;
                    }
                }
            }
            String[] names = {"without", "bound", "bound and timed"};
            for (int way = 0; way < 3; way++) {
                double median = Arrays.stream(nanos[way])
                        .sorted()
                        .skip(ROUNDS / 2)
                        .findFirst()
                        .orElseThrow();
                double base = Arrays.stream(nanos[0])
                        .sorted()
                        .skip(ROUNDS / 2)
                        .findFirst()
                        .orElseThrow();
                System.out.printf("%-16s %7.1f ns a sample, %.3f of without%n", names[way], median, median / base);
            }
        }
    }
}
