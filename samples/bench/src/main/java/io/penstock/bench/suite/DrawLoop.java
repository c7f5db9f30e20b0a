package io.penstock.bench.suite;

import io.penstock.internal.index.Bits;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Proportions;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import io.penstock.order.internal.Mixing;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One draw after another. JMH extends this class, so it is public and not final. */
@State(Scope.Thread)
public class DrawLoop {

    static final String MIXED = "mixture of 4";
    static final String FILTERED = MIXED + " behind a filter that takes 70 %"; // JMH parts values at commas
    private static final int MANY_WEIGHTS = 1_000_000;
    private static final int GROUP = 64;

    /** Samples of the data set. */
    @Param("1000000000")
    public long samples;

    /** Which order and shard. */
    @Param({"shuffled", "rank 3 of 8", "stable rank 3 of 8", "windowed by 1000", MIXED, "weighted"})
    public String order = "shuffled";

    private @Nullable Bits filter;
    private Draws draws = draws();
    private long number;

    /** Starts again in another order. */
    @Setup
    public void begin() {
        filter = FILTERED.equals(order)
                ? Bits.of(samples, index -> Long.remainderUnsigned(Mixing.mix(index), 10) < 7)
                : null;
        draws = draws();
        number = 0;
    }

    private Draws draws() {
        return switch (order) {
            case "rank 3 of 8" ->
                Sampler.shuffled(42).shard(Shard.of(3, 8)).epochs(1000).draws(samples);
            case "stable rank 3 of 8" ->
                Sampler.shuffled(42)
                        .mode(ShardMode.stable())
                        .shard(Shard.of(3, 8))
                        .epochs(1000)
                        .draws(samples);
            case "windowed by 1000" -> Sampler.windowed(42, 1000).epochs(1000).draws(samples);
            case MIXED -> mixed(samples);
            case FILTERED -> mixed(filter == null ? samples : filter.size());
            case "weighted" -> weighted((int) Math.min(samples, MANY_WEIGHTS));
            default -> Sampler.shuffled(42).epochs(1000).draws(samples);
        };
    }

    private static Draws mixed(long samples) {
        long quarter = samples / 4;
        return Sampler.shuffled(42)
                .mixed(Proportions.of(quarter, 0.4)
                        .and(quarter, 0.3)
                        .and(quarter, 0.2)
                        .and(samples - 3 * quarter, 0.1))
                .epochs(1000)
                .draws(samples);
    }

    /** As many draws, of fewer samples where their weights would fill the memory. */
    private Draws weighted(int weights) {
        double[] falling = new double[weights];
        Arrays.setAll(falling, index -> 1.0 / (1 + index));
        return Sampler.weighted(42, falling, samples).epochs(1000).draws(weights);
    }

    /** The next draw. */
    @Benchmark
    public Draw draw() {
        number = number + 1 == draws.count() ? 0 : number + 1;
        Draw draw = draws.at(number);
        return filter == null ? draw : draw.at(filter.at(draw.index()));
    }

    /** The next draws, in a group as a stream of samples that are at hand makes them. */
    @Benchmark
    @OperationsPerInvocation(GROUP)
    public Draw[] group() {
        number = number + 2 * GROUP > draws.count() ? 0 : number + GROUP;
        Draw[] drawn = new Draw[GROUP];
        draws.at(number, drawn);
        if (filter != null) {
            select(drawn, filter);
        }
        return drawn;
    }

    private static void select(Draw[] drawn, Bits filter) {
        long[] indices = new long[drawn.length];
        for (int i = 0; i < drawn.length; i++) {
            indices[i] = drawn[i].index();
        }
        filter.at(indices);
        for (int i = 0; i < drawn.length; i++) {
            drawn[i] = drawn[i].at(indices[i]);
        }
    }
}
