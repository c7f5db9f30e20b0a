package io.penstock.write.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.JsonReason;
import io.penstock.output.OutputStore;
import io.penstock.output.UnfinishedOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What a folder of shards was made of, so that two jobs are never mixed.
 *
 * @param fingerprint of the dataset, in hexadecimal
 * @param samples     of all shards
 * @param samplesEach of a shard
 */
public record ShardPlan(String fingerprint, long samples, long samplesEach) {

    public static final String NAME = "materialized.json";

    private static final JsonMapper JSON = new JsonMapper();
    private static final int VERSION = 1;
    private static final int LONGEST = 1 << 16;
    private static final String SHARD = "shard-%06d.tar";
    private static final String ANY_SHARD = "shard-\\d+\\.tar";

    /** The name of a shard. */
    public static String shard(long number) {
        return SHARD.formatted(number);
    }

    public static boolean isShard(String name) {
        return name.matches(ANY_SHARD);
    }

    /**
     * How many shards a place has once its job is done; empty if no job writes there.
     * @throws StoreException if its plan does not say it
     */
    public static Optional<Long> shards(OutputStore place) {
        return place.find(NAME, LONGEST).map(bytes -> shards(place.location(NAME), bytes));
    }

    private static long shards(String file, byte[] bytes) {
        JsonNode there = parse(file, bytes);
        long samples = there.path("samples").asLong(-1);
        long each = there.path("samples_per_shard").asLong(-1);
        if (samples < 0 || each < 1) {
            throw new StoreException("%s is no plan of shards: it does not say how many there are".formatted(file));
        }
        return samples / each + (samples % each == 0 ? 0 : 1);
    }

    /**
     * Writes it into a place that has none.
     * @throws StoreException if the place has another one
     */
    public void claim(OutputStore place) {
        if (!place.has(NAME)) {
            writeOnce(place);
        }
        requireThis(place);
    }

    /** Parts of a job begin together: it is enough that one of them wrote it. */
    private void writeOnce(OutputStore place) {
        try {
            requireNoShards(place);
            write(place);
        } catch (StoreException e) {
            if (!place.has(NAME)) {
                throw e;
            }
        }
    }

    private static void requireNoShards(OutputStore place) {
        if (place.has(shard(0))) {
            throw new StoreException("%s has shards but no %s, which says what they are made of; name another folder"
                    .formatted(place.location(), NAME));
        }
    }

    private void write(OutputStore place) {
        ObjectNode node = JSON.createObjectNode()
                .put("v", VERSION)
                .put("fingerprint", fingerprint)
                .put("samples", samples)
                .put("samples_per_shard", samplesEach);
        try (UnfinishedOutput unfinished = place.open(NAME)) {
            unfinished.append(ByteBuffer.wrap((node + "\n").getBytes(StandardCharsets.UTF_8)));
            unfinished.finish();
        } catch (IOException e) {
            throw new StoreException("cannot write %s: %s".formatted(place.location(NAME), FileErrors.reason(e)), e);
        }
    }

    private void requireThis(OutputStore place) {
        String file = place.location(NAME);
        JsonNode there = parse(
                file,
                place.find(NAME, LONGEST)
                        .orElseThrow(() -> new StoreException("%s is gone; repeat the job".formatted(file))));
        if (there.path("v").asInt() != VERSION) {
            throw new StoreException(
                    "%s is of version %s, not %d; name another folder".formatted(file, there.path("v"), VERSION));
        }
        if (!there.path("fingerprint").asText().equals(fingerprint)) {
            throw new StoreException(
                    "%s has shards of other samples or stages: they were made of %s, this job is of %s; name another folder"
                            .formatted(
                                    place.location(), there.path("fingerprint").asText(), fingerprint));
        }
        if (there.path("samples").asLong() != samples
                || there.path("samples_per_shard").asLong() != samplesEach) {
            throw new StoreException("%s has shards of %s samples of %s, this job has %d of %d; name another folder"
                    .formatted(
                            place.location(),
                            there.path("samples_per_shard"),
                            there.path("samples"),
                            samplesEach,
                            samples));
        }
    }

    private static JsonNode parse(String file, byte[] bytes) {
        try {
            return JSON.readTree(bytes);
        } catch (JsonProcessingException e) {
            throw new StoreException(
                    "%s is no plan of shards: %s".formatted(file, JsonReason.of(e.getOriginalMessage())), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory has no faults
        }
    }
}
