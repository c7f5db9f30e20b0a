package io.penstock.bench.suite;

import io.penstock.internal.index.Bits;
import io.penstock.internal.index.Selection;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Proportions;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import io.penstock.order.internal.Mixing;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One draw after another, and a start at a saved position. JMH extends this class, so it is public and not final. */
@State(Scope.Thread)
public class DrawLoop {

    static final String MIXED = "mixture of 4";
    private static final String LINES = MIXED + " by weights that go in a line";
    static final String LINES_OF_8 = LINES + " at rank 3 of 8";
    static final String WINDOWS = "windows of 30 rows of series of 1030";
    static final String STRIDES = WINDOWS + " at every 4th row";
    static final String FILTERED = MIXED + " behind a filter that takes 70 %"; // JMH parts values at commas
    private static final int GROUP = 64;
    private static final int SERIES = 1030;
    private static final int SPAN = 30;
    private static final long EPOCHS = 1000;

    @Param("1000000000")
    public long samples;

    @Param({"shuffled", "rank 3 of 8", "stable rank 3 of 8", MIXED, LINES, LINES_OF_8})
    public String order = "shuffled";

    private @Nullable Selection filter;
    private Draws draws = sampler().draws(samples);
    private long number;

    @Setup
    public void begin() {
        filter = switch (order) {
            case FILTERED -> Bits.of(samples, index -> Long.remainderUnsigned(Mixing.mix(index), 10) < 7);
            case WINDOWS ->
                Bits.of(samples, row -> row % SERIES <= SERIES - SPAN).compact();
            case STRIDES ->
                Bits.of(samples, row -> row % SERIES <= SERIES - SPAN && row % SERIES % 4 == 0)
                        .compact();
            default -> null;
        };
        draws = sampler().draws(drawn());
        number = 0;
    }

    private long drawn() {
        return filter == null ? samples : filter.size();
    }

    private Sampler sampler() {
        Sampler shuffled = Sampler.shuffled(42);
        Sampler chosen = switch (order) {
            case "rank 3 of 8" -> shuffled.shard(Shard.of(3, 8));
            case "stable rank 3 of 8" -> shuffled.mode(ShardMode.stable()).shard(Shard.of(3, 8));
            case LINES -> shuffled.mixed(lines());
            case LINES_OF_8 -> shuffled.mixed(lines()).shard(Shard.of(3, 8));
            case MIXED, FILTERED -> shuffled.mixed(quarters(drawn()));
            default -> shuffled;
        };
        return chosen.epochs(EPOCHS);
    }

    private Proportions lines() {
        return quarters(samples).weightsAt(samples, 0.1, 0.2, 0.3, 0.4).lines().draws(samples);
    }

    private static Proportions quarters(long samples) {
        long quarter = samples / 4;
        return Proportions.of(quarter, 0.4).and(quarter, 0.3).and(quarter, 0.2).and(samples - 3 * quarter, 0.1);
    }

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

    private static void select(Draw[] drawn, Selection filter) {
        long[] indices = new long[drawn.length];
        for (int i = 0; i < drawn.length; i++) {
            indices[i] = drawn[i].index();
        }
        filter.at(indices);
        for (int i = 0; i < drawn.length; i++) {
            drawn[i] = drawn[i].at(indices[i]);
        }
    }

    /** From a saved position in the middle of an epoch to the first draw after it. */
    @Benchmark
    public Draw resume() {
        number++;
        return sampler()
                .resumeAt(new Position(number % EPOCHS, number % samples))
                .draws(drawn())
                .at(0);
    }
}
