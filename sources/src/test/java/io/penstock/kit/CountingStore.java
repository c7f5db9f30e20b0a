package io.penstock.kit;

import io.penstock.store.Manifest;
import io.penstock.store.MemoryStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A store in memory that notes what it is asked for, and can hold its answers back. */
public final class CountingStore implements Store {

    private final Map<String, byte[]> contents = new LinkedHashMap<>();
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private Mono<Void> gate = Mono.empty();

    public CountingStore put(String key, String text) {
        return put(key, text.getBytes(StandardCharsets.UTF_8));
    }

    public CountingStore put(String key, byte... bytes) {
        contents.put(key, bytes);
        return this;
    }

    /** Answers wait for this from now on. */
    public Sinks.Empty<Void> close() {
        Sinks.Empty<Void> sink = Sinks.empty();
        gate = sink.asMono();
        return sink;
    }

    /** What was asked for since the last time, metadata left out: keys, with the range if it was one. */
    public List<String> asked() {
        synchronized (asked) { // or what is asked between the two would be lost
            List<String> copy = List.copyOf(asked);
            asked.clear();
            return copy;
        }
    }

    private MemoryStore now() {
        return MemoryStore.of("test", contents);
    }

    @Override
    public String location() {
        return "memory:test";
    }

    @Override
    public void list(Visitor visitor) {
        now().list(visitor);
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return gate.then(Mono.defer(() -> {
            asked.add(entry.key());
            return now().read(entry);
        }));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        return gate.then(Mono.defer(() -> {
            asked.add("%s[%d+%d]".formatted(entry.key(), offset, length));
            return now().read(entry, offset, length);
        }));
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return gate.then(Mono.defer(() -> now().entry(key)));
    }

    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return entry(line.key());
    }

    @Override
    public List<String> state(StoreEntry entry) {
        return entry.state();
    }

    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        return gate.then(Mono.defer(() -> {
            if (!key.endsWith("zarr.json") && !key.contains(".z")) {
                asked.add(key);
            }
            return now().find(key, max, maxLine);
        }));
    }
}
