package io.penstock.write;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.fault.StoreException;
import io.penstock.write.internal.UnfinishedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a folder of shards was made of, so that two jobs are never mixed.
 *
 * @param fingerprint of the dataset, in hexadecimal
 * @param samples     of all shards
 * @param samplesEach of a shard
 */
record ShardPlan(String fingerprint, long samples, long samplesEach) {

    static final String NAME = "materialized.json";

    private static final JsonMapper JSON = new JsonMapper();
    private static final int VERSION = 1;
    private static final long LONGEST = 1 << 16;

    /**
     * Writes it into a folder that has none.
     * @throws StoreException if the folder has another one
     */
    void claim(Path folder) {
        Path file = folder.resolve(NAME);
        try {
            if (!Files.exists(file)) {
                writeOnce(file, folder);
            }
            requireThis(file);
        } catch (IOException e) {
            throw UnfinishedFile.failed(file, e);
        }
    }

    /** Parts of a job begin together: it is enough that one of them wrote it. */
    private void writeOnce(Path file, Path folder) throws IOException {
        try {
            requireNoShards(folder);
            write(file);
        } catch (IOException | StoreException e) {
            if (!Files.exists(file)) {
                throw e;
            }
        }
    }

    private static void requireNoShards(Path folder) {
        Path first = TarWriter.shard(folder, 0);
        if (Files.exists(first)) {
            throw new StoreException("%s has shards but no %s, which says what they are made of; name another folder"
                    .formatted(folder, NAME));
        }
    }

    private void write(Path file) throws IOException {
        ObjectNode node = JSON.createObjectNode()
                .put("v", VERSION)
                .put("fingerprint", fingerprint)
                .put("samples", samples)
                .put("samples_per_shard", samplesEach);
        try (UnfinishedFile unfinished = UnfinishedFile.of(file)) {
            unfinished.append(ByteBuffer.wrap((node + "\n").getBytes(StandardCharsets.UTF_8)));
            unfinished.finish();
        }
    }

    private void requireThis(Path file) throws IOException {
        JsonNode there = read(file);
        if (there.path("v").asInt() != VERSION) {
            throw new StoreException(
                    "%s is of version %s, not %d; name another folder".formatted(file, there.path("v"), VERSION));
        }
        if (!there.path("fingerprint").asText().equals(fingerprint)) {
            throw new StoreException(
                    "%s has shards of other samples or stages: they were made of %s, this job is of %s; name another folder"
                            .formatted(
                                    file.getParent(), there.path("fingerprint").asText(), fingerprint));
        }
        if (there.path("samples").asLong() != samples
                || there.path("samples_per_shard").asLong() != samplesEach) {
            throw new StoreException("%s has shards of %s samples of %s, this job has %d of %d; name another folder"
                    .formatted(
                            file.getParent(),
                            there.path("samples_per_shard"),
                            there.path("samples"),
                            samplesEach,
                            samples));
        }
    }

    private static JsonNode read(Path file) throws IOException {
        if (Files.size(file) > LONGEST) {
            throw new StoreException("%s is no plan of shards: it has %d bytes".formatted(file, Files.size(file)));
        }
        try {
            return JSON.readTree(Files.readString(file));
        } catch (JsonProcessingException e) {
            throw new StoreException("%s is no plan of shards: %s".formatted(file, e.getOriginalMessage()), e);
        }
    }
}
