package io.penstock.zarr;

import io.penstock.pipeline.Fingerprint;
import io.penstock.pipeline.SampleKey;
import io.penstock.store.Store;
import io.penstock.tensor.Shape;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Sizes and versions of an array's stored chunks as they were listed; one that is not stored has the state 0. */
final class ChunkStates {

    static final ChunkStates UNKNOWN = new ChunkStates(Map.of(), false);

    private final Map<String, Long> states;
    private final boolean known;
    private final Fingerprint all;

    private ChunkStates(Map<String, Long> states, boolean known) {
        this.states = states;
        this.known = known;
        if (known) {
            StringBuilder text = new StringBuilder();
            new TreeMap<>(states)
                    .forEach((key, state) ->
                            text.append(key).append(' ').append(state).append('\n'));
            this.all = Fingerprint.of("%d chunks %s"
                    .formatted(states.size(), Fingerprint.of(text.toString()).hex()));
        } else {
            this.all = Fingerprint.of();
        }
    }

    static Mono<ChunkStates> list(Store store, String path) {
        String prefix = path.isEmpty() ? "" : path + "/";
        return Mono.fromCallable(() -> {
                    Map<String, Long> states = new HashMap<>();
                    store.list(new Store.Visitor() {
                        @Override
                        public boolean folder(String key) {
                            return key.startsWith(prefix) || prefix.startsWith(key + "/");
                        }

                        @Override
                        public void file(String key, long size, long version) {
                            if (key.startsWith(prefix) && !key.endsWith("zarr.json")) {
                                // mixed as a key is, since sizes and times differ in few bits
                                states.put(
                                        key,
                                        new SampleKey(size, version)
                                                .with(size)
                                                .with(version)
                                                .low());
                            }
                        }
                    });
                    return new ChunkStates(states, true);
                })
                .subscribeOn(Schedulers.boundedElastic());
    }

    boolean isKnown() {
        return known;
    }

    Fingerprint all() {
        return all;
    }

    long of(String key) {
        return states.getOrDefault(key, 0L);
    }

    /** The state of a stored chunk, or of several, as a word for people. */
    String word(String what, SampleKey state) {
        return known ? "%s as listed %016x".formatted(what, state.high()) : "chunks not looked at";
    }

    /** A key with the states of all chunks that a region touches. */
    SampleKey with(SampleKey sample, ZarrArray array, long[] start, Shape region) {
        SampleKey key = sample;
        long[] first = new long[start.length];
        long[] counts = new long[start.length];
        for (int i = 0; i < first.length; i++) {
            long length = array.chunkShape().dim(i);
            first[i] = start[i] / length;
            counts[i] = region.dim(i) == 0 ? 0 : (start[i] + region.dim(i) - 1) / length - first[i] + 1;
        }
        Shape touched = Shape.of(counts);
        for (long number = 0; number < touched.elements(); number++) {
            long[] at = Grid.coordinates(number, touched);
            for (int i = 0; i < at.length; i++) {
                at[i] += first[i];
            }
            key = key.with(of(array.reader().keyAt(at)));
        }
        return key;
    }
}
