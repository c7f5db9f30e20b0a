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
final class FileStates {

    private final Map<String, StoreEntry> found;
    private final Fingerprint all;

    private FileStates(List<StoreEntry> entries) {
        this.found = new HashMap<>(entries.size() * 2);
        StringBuilder words = new StringBuilder();
        for (StoreEntry entry : entries) {
            found.put(entry.key(), entry);
            words.append(entry.key())
                    .append(' ')
                    .append(entry.size())
                    .append(' ')
                    .append(entry.version())
                    .append('\n');
        }
        // as one word: a fingerprint is there to be printed
        this.all = entries.isEmpty()
                ? Fingerprint.of()
                : Fingerprint.of("%d files %s"
                        .formatted(
                                entries.size(), Fingerprint.of(words.toString()).hex()));
    }

    /** Asks for the states that the lines lack, and blocks. Missing files are left out: loading them fails. */
    static FileStates of(Store store, Manifest manifest, int atOnce) {
        List<Manifest.Line> unknown = manifest.lines().stream()
                .filter(line -> line.checksum() == null)
                .toList();
        return new FileStates(
                unknown.isEmpty()
                        ? List.of()
                        : Waiting.forValue(Flux.fromIterable(unknown)
                                .transform(InOrder.map(atOnce, store::entry))
                                .collectList()));
    }

    @Nullable StoreEntry of(Manifest.Line line) {
        return found.get(line.key());
    }

    Fingerprint all() {
        return all;
    }
}
