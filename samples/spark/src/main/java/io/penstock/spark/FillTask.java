package io.penstock.spark;

import io.penstock.cli.cache.FilledCache;
import io.penstock.cli.cache.Warming;
import io.penstock.cli.materialize.MaterializeFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.order.Shard;
import java.io.Serial;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.broadcast.Broadcast;

/** Fills a cache with one rank's samples. What it says is there has been written when it ends. */
final class FillTask implements Function<Integer, Warming.Outcome> {

    @Serial
    private static final long serialVersionUID = 1;

    private final Broadcast<SparkWork> work;
    private final int parts;

    FillTask(Broadcast<SparkWork> work, int parts) {
        this.work = work;
        this.parts = parts;
    }

    @Override
    public Warming.Outcome call(Integer part) {
        SparkWork all = work.value();
        return all.cache().use(cache -> fill(all.samples(), cache, all.flags(), Shard.of(part, parts)));
    }

    private static <T> Warming.Outcome fill(
            Cacheable<T> samples, FilledCache cache, MaterializeFlags flags, Shard shard) {
        Warming<T> warming = new Warming<>(samples, cache, flags.inFlight(), shard, failure -> {});
        warming.load(() -> {}).block();
        return warming.outcome();
    }
}
