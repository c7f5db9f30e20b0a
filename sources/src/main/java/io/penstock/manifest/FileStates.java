package io.penstock.manifest;

import io.penstock.cache.Fingerprint;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.InOrder;
import io.penstock.store.internal.Waiting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** The files of a manifest whose lines have no checksum, as the store found them. */
record FileStates(Map<String, StoreEntry> found, Fingerprint all) {

    private static FileStates of(List<StoreEntry> entries) {
        Map<String, StoreEntry> found = new HashMap<>(entries.size() * 2);
        StringBuilder words = new StringBuilder();
        for (StoreEntry entry : entries) {
            found.put(entry.key(), entry);
            words.append(String.join(" ", entry.key(), Long.toString(entry.size()), Long.toString(entry.version())))
                    .append('\n');
        }
        // as one word: a fingerprint is there to be printed
        String word = Fingerprint.of(words.toString()).hex();
        return new FileStates(
                found,
                entries.isEmpty() ? Fingerprint.of() : Fingerprint.of("%d files %s".formatted(entries.size(), word)));
    }

    /** Asks for the states that the lines lack, and blocks. Missing files are left out: loading them fails. */
    static FileStates of(Store store, Manifest manifest, int atOnce) {
        List<Manifest.Line> unknown = manifest.lines().stream()
                .filter(line -> line.checksum() == null)
                .toList();
        return of(
                unknown.isEmpty()
                        ? List.of()
                        : Waiting.forValue(Flux.fromIterable(unknown)
                                .transform(InOrder.map(atOnce, store::entry))
                                .collectList()));
    }

    @Nullable StoreEntry of(Manifest.Line line) {
        return found.get(line.key());
    }
}
