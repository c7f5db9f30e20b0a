package io.penstock.cli.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.penstock.cli.console.Reason;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that {@code materialize} wrote: the shards in it, without what lies beside them. */
public final class MaterializedShards {

    private static final String PLAN = "materialized.json";
    private static final String PATTERN = "shard-*.tar";
    private static final long LONGEST = 1 << 16;
    private static final JsonMapper JSON = new JsonMapper();

    private MaterializedShards() {}

    /**
     * The pattern of its shards; any other place as it is.
     * @throws StoreException if the job that writes them has not ended, since the rest would not be missed
     */
    public static Path in(Path place) {
        Path plan = place.resolve(PLAN);
        if (!Files.isRegularFile(plan)) {
            return place;
        }
        try {
            long wanted = shards(plan);
            long there = count(place);
            if (there < wanted) {
                throw new StoreException("%s has %d of %d shards; repeat the materialize command to complete them"
                        .formatted(place, there, wanted));
            }
        } catch (IOException e) {
            throw new StoreException("cannot read %s: %s".formatted(plan, Reason.of(e)), e);
        }
        return place.resolve(PATTERN);
    }

    private static long shards(Path plan) throws IOException {
        if (Files.size(plan) > LONGEST) {
            throw new StoreException("%s is no plan of shards: it has %d bytes".formatted(plan, Files.size(plan)));
        }
        JsonNode node;
        try {
            node = JSON.readTree(Files.readString(plan));
        } catch (JsonProcessingException e) {
            throw new StoreException("%s is no plan of shards: %s".formatted(plan, e.getOriginalMessage()), e);
        }
        long samples = node.path("samples").asLong(-1);
        long each = node.path("samples_per_shard").asLong(-1);
        if (samples < 0 || each < 1) {
            throw new StoreException("%s is no plan of shards: it does not say how many there are".formatted(plan));
        }
        return samples / each + (samples % each == 0 ? 0 : 1);
    }

    private static long count(Path folder) throws IOException {
        long count = 0;
        try (DirectoryStream<Path> shards = Files.newDirectoryStream(folder, PATTERN)) {
            for (Path shard : shards) {
                count += Files.isRegularFile(shard) ? 1 : 0;
            }
        }
        return count;
    }
}
