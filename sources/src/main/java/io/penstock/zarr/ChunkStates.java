package io.penstock.zarr;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.internal.GuardedScheduler;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.tensor.Shape;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * An array's stored chunks as they were listed, sizes and versions. They are part of the samples' keys, so chunks are
 * read as they were listed or not at all. One that was not stored has the state 0.
 */
final class ChunkStates {

    static final ChunkStates UNKNOWN = new ChunkStates(Map.of(), false);

    private final Map<String, StoreEntry> chunks;
    private final boolean known;
    private final Fingerprint all;

    private ChunkStates(Map<String, StoreEntry> chunks, boolean known) {
        this.chunks = chunks;
        this.known = known;
        if (known) {
            StringBuilder text = new StringBuilder();
            new TreeMap<>(chunks)
                    .forEach((key, chunk) ->
                            text.append(key).append(' ').append(state(chunk)).append('\n'));
            this.all = Fingerprint.of("%d chunks %s"
                    .formatted(chunks.size(), Fingerprint.of(text.toString()).hex()));
        } else {
            this.all = Fingerprint.of();
        }
    }

    static Mono<ChunkStates> list(Store store, String path) {
        String prefix = path.isEmpty() ? "" : path + "/";
        return Mono.fromCallable(() -> {
                    Map<String, StoreEntry> chunks = new HashMap<>();
                    store.list(new Store.Visitor() {
                        @Override
                        public boolean folder(String key) {
                            return key.startsWith(prefix) || prefix.startsWith(key + "/");
                        }

                        @Override
                        public void file(String key, long size, long version) {
                            if (key.startsWith(prefix) && !key.endsWith("zarr.json")) {
                                chunks.put(key, new StoreEntry(key, size, version));
                            }
                        }
                    });
                    return new ChunkStates(chunks, true);
                })
                .subscribeOn(GuardedScheduler.ELASTIC);
    }

    /** Mixed as a key is, since sizes and times differ in few bits. */
    private static long state(StoreEntry chunk) {
        return new SampleKey(chunk.size(), chunk.version())
                .with(chunk.size())
                .with(chunk.version())
                .low();
    }

    boolean isKnown() {
        return known;
    }

    Fingerprint all() {
        return all;
    }

    /** The state of what was listed under a key. */
    long of(String key) {
        StoreEntry chunk = chunks.get(key);
        return chunk == null ? 0 : state(chunk);
    }

    /** The entry that was listed under a key; null if none was. */
    @Nullable StoreEntry entry(String key) {
        return chunks.get(key);
    }

    /** The state of a stored chunk, or of several, as a word for people. */
    String word(String what, SampleKey state) {
        return known ? "%s as listed %016x".formatted(what, state.high()) : "chunks not looked at";
    }

    /** A key with the states of all chunks that a region touches. */
    SampleKey with(SampleKey sample, ZarrArray array, long[] start, Shape region) {
        SampleKey key = sample;
        Regions.Touched touched = Regions.Touched.of(start, region, array.chunkShape());
        for (long number = 0; number < touched.counts().elements(); number++) {
            key = key.with(of(array.reader().keyAt(touched.place(number))));
        }
        return key;
    }
}
