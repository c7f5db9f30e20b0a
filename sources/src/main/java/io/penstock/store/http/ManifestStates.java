package io.penstock.store.http;

import io.penstock.fault.StoreException;
import io.penstock.store.Checksum;
import io.penstock.store.Manifest;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.InOrder;
import io.penstock.store.internal.Waiting;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The entries of a manifest's lines: known from the line where it says enough, asked for otherwise. */
final class ManifestStates {

    private ManifestStates() {}

    /** In the order of the lines; blocks until all are known. */
    static List<StoreEntry> of(HttpStore store, Manifest manifest, int inFlight) {
        return Waiting.forValue(Flux.fromIterable(manifest.lines())
                .transform(InOrder.map(inFlight, line -> entry(store, manifest, line)))
                .collectList());
    }

    private static Mono<StoreEntry> entry(HttpStore store, Manifest manifest, Manifest.Line line) {
        Checksum sum = line.checksum();
        return store.entry(line)
                .switchIfEmpty(Mono.error(() -> new StoreException("%s is not in %s, although %s lists it"
                        .formatted(line.key(), store.location(), manifest.name()))))
                .map(now -> {
                    if (line.bytes() >= 0 && line.bytes() != now.size()) {
                        throw new StoreException("%s in %s has %d bytes, but %s says %d; write the manifest anew"
                                .formatted(line.key(), store.location(), now.size(), manifest.name(), line.bytes()));
                    }
                    return sum == null ? now : new StoreEntry(line.key(), now.size(), sum.version());
                });
    }
}
