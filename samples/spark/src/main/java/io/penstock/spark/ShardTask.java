package io.penstock.spark;

import io.penstock.cli.materialize.MaterializeFlags;
import io.penstock.cli.materialize.MaterializeTarget;
import io.penstock.cli.materialize.Sharding;
import io.penstock.cli.source.Cacheable;
import io.penstock.order.Shard;
import io.penstock.output.OutputStore;
import java.io.Serial;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.broadcast.Broadcast;

/** Writes one rank's tar shards. */
final class ShardTask implements Function<Integer, Sharding.Outcome> {

    @Serial
    private static final long serialVersionUID = 1;

    private final Broadcast<SparkWork> work;
    private final int parts;

    ShardTask(Broadcast<SparkWork> work, int parts) {
        this.work = work;
        this.parts = parts;
    }

    @Override
    public Sharding.Outcome call(Integer part) {
        SparkWork all = work.value();
        return write(all.samples(), all.flags(), Shard.of(part, parts));
    }

    private static Sharding.Outcome write(Cacheable<?> samples, MaterializeFlags flags, Shard shard) {
        MaterializeTarget.Tar tar = (MaterializeTarget.Tar) flags.target();
        try (OutputStore output = tar.place().output()) {
            Sharding<?> sharding = new Sharding<>(flags.shards(samples, output, failure -> {}), shard);
            sharding.write(() -> {}).block();
            return sharding.outcome();
        }
    }
}
