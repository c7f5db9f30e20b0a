package io.penstock.bench.scaling;

import com.sun.management.ThreadMXBean;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import java.lang.management.ManagementFactory;
import java.util.stream.IntStream;

/**
 * The cost of the arithmetic of draws for a data set of some size.
 *
 * @param samples of the data set
 * @param draws   to take
 * @param ranks   that share it
 */
record DrawTimes(long samples, int draws, int ranks) {

    private static final long EPOCHS = 1_000_000_000;
    private static final long STRIDE = 0x9E3779B97F4A7C15L;

    /** Nanoseconds a draw of one rank that sees all. */
    double order() {
        return nanos(sampler().draws(samples));
    }

    /** Nanoseconds a draw of one of the ranks. */
    double shard() {
        return nanos(sampler().shard(rank()).draws(samples));
    }

    private Shard rank() {
        return Shard.of(Math.min(3, ranks - 1), ranks);
    }

    /** Nanoseconds from a saved position to the first draw after it. */
    double resume() {
        int times = Math.max(1, draws / 10);
        long sum = 0;
        long began = System.nanoTime();
        for (int i = 0; i < times; i++) {
            sum += resumed(i);
        }
        return perTurn(began, times, sum);
    }

    /** Min of the bytes that this thread allocates for an order, a shard, a resumed position and a draw of each. */
    double bytes() {
        return IntStream.range(0, 20).mapToDouble(time -> bytesOnce()).min().orElse(0);
    }

    private double bytesOnce() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long sum = sampler().draws(samples).at(0).index()
                + sampler().shard(rank()).draws(samples).at(0).index()
                + resumed(1);
        long after = threads.getCurrentThreadAllocatedBytes();
        return after - before + (sum < 0 ? 1 : 0);
    }

    private long resumed(int time) {
        Position saved = new Position(time, Long.remainderUnsigned(time * STRIDE, samples));
        return sampler().shard(rank()).resumeAt(saved).draws(samples).at(0).index();
    }

    private static Sampler sampler() {
        return Sampler.shuffled(42).epochs(EPOCHS);
    }

    private double nanos(Draws order) {
        long sum = 0;
        long began = System.nanoTime();
        for (int i = 0; i < draws; i++) {
            sum += order.at(i).index();
        }
        return perTurn(began, draws, sum);
    }

    /** Uses the sum, so that the compiler cannot remove the work. */
    private static double perTurn(long began, int turns, long sum) {
        long nanos = System.nanoTime() - began;
        if (sum < 0) {
            throw new IllegalStateException("indices must not be negative");
        }
        return (double) nanos / turns;
    }
}
