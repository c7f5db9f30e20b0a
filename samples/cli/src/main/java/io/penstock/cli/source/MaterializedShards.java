package io.penstock.cli.source;

import io.penstock.fault.StoreException;
import io.penstock.output.OutputStore;
import io.penstock.write.internal.ShardPlan;
import java.nio.file.Files;
import java.util.Optional;

/** A folder, or a bucket's prefix, that {@code materialize} wrote: the shards in it, without what lies beside them. */
public final class MaterializedShards {

    private static final String PATTERN = "shard-*.tar";

    private MaterializedShards() {}

    /**
     * The pattern of its shards; any other place as it is.
     * @throws StoreException if the job that writes them has not ended, since the rest would not be missed
     */
    public static StorePlace in(StorePlace place) {
        boolean mayBeFolder =
                place.isObjects() ? place.mayBeFolder() : !place.isHttp() && Files.isDirectory(place.path());
        if (!mayBeFolder) {
            return place;
        }
        try (OutputStore written = place.output()) {
            Optional<Long> wanted = ShardPlan.shards(written);
            if (wanted.isEmpty()) {
                return place;
            }
            long there = written.names().stream().filter(ShardPlan::isShard).count();
            if (there < wanted.get()) {
                throw new StoreException("%s has %d of %d shards; repeat the materialize command to complete them"
                        .formatted(place, there, wanted.get()));
            }
        }
        return place.below(PATTERN);
    }
}
