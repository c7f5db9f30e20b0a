package io.penstock.cli.serve;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.store.Checksum;
import io.penstock.store.FileStore;
import io.penstock.store.StoreEntry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The manifest that a server makes of its folder. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ServedManifest(byte[] text) {

    static final String NAME = "manifest.jsonl";

    private static final int SLICE = 4 << 20;
    private static final int IN_FLIGHT = 8;

    /** Lists the shown files of a store in the order of their keys. Reads all of them, and blocks. */
    static ServedManifest of(FileStore files, Predicate<String> shown) {
        List<StoreEntry> entries = new ArrayList<>();
        files.list((key, size, version) -> entries.add(new StoreEntry(key, size, version)));
        entries.removeIf(entry -> entry.key().equals(NAME) || !shown.test(entry.key()));
        entries.sort(Comparator.comparing(StoreEntry::key));
        String lines = Flux.fromIterable(entries)
                .flatMapSequential(entry -> line(files, entry), IN_FLIGHT)
                .collect(Collectors.joining())
                .blockOptional()
                .orElse("");
        return new ServedManifest(lines.getBytes(StandardCharsets.UTF_8));
    }

    private static Mono<String> line(FileStore files, StoreEntry entry) {
        long slices = (entry.size() + SLICE - 1) / SLICE;
        return Flux.range(0, Math.toIntExact(slices))
                .concatMap(slice -> {
                    long from = (long) slice * SLICE;
                    return files.read(entry, from, (int) Math.min(SLICE, entry.size() - from));
                })
                .collect(CRC32C::new, CRC32C::update)
                .map(sum -> line(entry, Checksum.ofCrc32c((int) sum.getValue())));
    }

    private static String line(StoreEntry entry, Checksum sum) {
        ObjectNode line = JsonNodeFactory.instance
                .objectNode()
                .put("key", entry.key())
                .put("bytes", entry.size())
                .put("checksum", sum.toString());
        int slash = entry.key().indexOf('/');
        return (slash > 0 ? line.put("label", entry.key().substring(0, slash)) : line) + "\n";
    }

    String etag() {
        return "\"" + Checksum.of(Checksum.Kind.CRC32C, ByteBuffer.wrap(text)).hex() + "\"";
    }
}
