package io.penstock.bench;

import com.sun.management.ThreadMXBean;
import io.penstock.pipeline.Draws;
import io.penstock.pipeline.Sampler;
import io.penstock.pipeline.Shard;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Time and allocation of one draw of a billion samples. */
final class DrawCost implements Benchmark {

    private static final long SAMPLES = 1_000_000_000L;
    private static final int WARM_UP = 5;
    private static final double MOST_NANOS = 50;
    private static final int ROW = 10;

    @Override
    public String name() {
        return "draws";
    }

    @Override
    public String about() {
        return "order and shard arithmetic for a billion samples";
    }

    @Override
    public List<Finding> run(Effort effort) {
        Draws whole = Sampler.shuffled(42).draws(SAMPLES);
        Draws shard = Sampler.shuffled(42).shard(Shard.of(3, 8)).draws(SAMPLES);
        Draws windowed = Sampler.windowed(42, 1000).draws(SAMPLES);
        int draws = effort.of(4_000_000, 1_000_000);
        long[] sum = {0};
        long[] from = {0};
        Rounds rounds = Rounds.of(
                WARM_UP,
                effort.of(15, 7),
                round -> {
                    effort.progress().accept("draws: round " + (round + 1));
                    from[0] += draws;
                },
                List.of(
                        () -> nanos(whole, from[0], draws, sum),
                        () -> nanos(shard, from[0], draws, sum),
                        () -> nanos(windowed, from[0], draws, sum)));
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.of(name(), "shuffled, n = 10^9: a draw", rounds.median(0), "ns")
                .atMost(ROW, MOST_NANOS));
        findings.add(Finding.of(name(), "the same, rank 3 of 8: a draw", rounds.median(1), "ns")
                .atMost(ROW, MOST_NANOS));
        findings.add(Finding.of(name(), "windowed by 1000: a draw", rounds.median(2), "ns"));
        findings.add(Finding.of(name(), "allocated for a draw, n = 10^9", allocated(whole, draws, sum), "B"));
        findings.add(Finding.of(
                name(),
                "allocated for a draw, n = 1000",
                allocated(Sampler.shuffled(42).epochs(draws / 1000).draws(1000), draws, sum),
                "B"));
        if (sum[0] == 42) {
            effort.progress().accept("draws: so that the loop has a result");
        }
        return findings;
    }

    private static double nanos(Draws draws, long from, int count, long[] sum) {
        long total = 0;
        long started = System.nanoTime();
        for (long number = from; number < from + count; number++) {
            total += draws.at(number).index();
        }
        long took = System.nanoTime() - started;
        sum[0] += total;
        return (double) took / count;
    }

    private static double allocated(Draws draws, int count, long[] sum) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        nanos(draws, 0, count, sum);
        return (double) (threads.getCurrentThreadAllocatedBytes() - before) / count;
    }
}
