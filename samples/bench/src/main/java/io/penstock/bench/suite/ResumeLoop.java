package io.penstock.bench.suite;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A rank that resumes in the middle of an epoch. JMH extends this class, so it is public and not final. */
@State(Scope.Thread)
public class ResumeLoop {

    private static final long EPOCHS = 1000;

    /** Samples of the data set. */
    @Param("1000000000")
    public long samples;

    /** The shard mode. */
    @Param({"global", "stable"})
    public String mode = "global";

    private long stops;

    /** From a saved position to the first draw after it. */
    @Benchmark
    public Draw resume() {
        stops++;
        return Sampler.shuffled(42)
                .mode(ShardMode.parse(mode))
                .epochs(EPOCHS)
                .shard(Shard.of(3, 8))
                .resumeAt(new Position(stops % EPOCHS, stops % samples))
                .draws(samples)
                .at(0);
    }
}
