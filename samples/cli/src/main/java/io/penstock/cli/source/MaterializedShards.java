package io.penstock.cli.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.penstock.fault.StoreException;
import io.penstock.output.OutputStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Optional;

/** A folder, or a bucket's prefix, that {@code materialize} wrote: the shards in it, without what lies beside them. */
public final class MaterializedShards {

    private static final String PLAN = "materialized.json";
    private static final String PATTERN = "shard-*.tar";
    private static final String SHARD = "shard-\\d+\\.tar";
    private static final int LONGEST = 1 << 16;
    private static final JsonMapper JSON = new JsonMapper();

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
            Optional<byte[]> plan = written.find(PLAN, LONGEST);
            if (plan.isEmpty()) {
                return place;
            }
            long wanted = shards(written.location(PLAN), plan.get());
            long there =
                    written.names().stream().filter(name -> name.matches(SHARD)).count();
            if (there < wanted) {
                throw new StoreException("%s has %d of %d shards; repeat the materialize command to complete them"
                        .formatted(place, there, wanted));
            }
        }
        return place.below(PATTERN);
    }

    private static long shards(String plan, byte[] bytes) {
        JsonNode node;
        try {
            node = JSON.readTree(bytes);
        } catch (JsonProcessingException e) {
            throw new StoreException("%s is no plan of shards: %s".formatted(plan, e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory has no faults
        }
        long samples = node.path("samples").asLong(-1);
        long each = node.path("samples_per_shard").asLong(-1);
        if (samples < 0 || each < 1) {
            throw new StoreException("%s is no plan of shards: it does not say how many there are".formatted(plan));
        }
        return samples / each + (samples % each == 0 ? 0 : 1);
    }
}
