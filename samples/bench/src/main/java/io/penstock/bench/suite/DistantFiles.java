package io.penstock.bench.suite;

import io.penstock.bench.DistantServer;
import io.penstock.cache.Fingerprint;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.HttpStore;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Small files behind an HTTP server of this process that answers late: client and server share the processors. */
final class DistantFiles implements AutoCloseable {

    private static final int FILES = 64;
    private static final int BYTES = 1024;

    private final DistantServer server;
    private final HttpStore store;
    private final List<StoreEntry> entries;

    /** A list of entries, repeated until it has a size. */
    private record Remote(HttpStore store, List<StoreEntry> entries, long size) implements Dataset<ByteBuffer> {
        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("distant files", store.location(), Long.toString(size));
        }

        @Override
        public Mono<ByteBuffer> get(long index) {
            return store.read(entries.get((int) (index % entries.size())));
        }
    }

    private DistantFiles(DistantServer server, HttpStore store, List<StoreEntry> entries) {
        this.server = server;
        this.store = store;
        this.entries = entries;
    }

    static DistantFiles serve(Duration latency) {
        DistantServer server = DistantServer.serve(latency, BYTES);
        HttpStore store = HttpStore.at(server.address());
        List<StoreEntry> entries = Flux.range(0, FILES)
                .concatMap(i -> store.entry(i + ".bin"))
                .collectList()
                .block();
        return new DistantFiles(server, store, entries == null ? List.of() : entries);
    }

    /** Samples a second of an epoch of so many. */
    double samplesPerSecond(int samples, int inFlight) {
        long started = System.nanoTime();
        new Remote(store, entries, samples)
                .stream(Sampler.shuffled(42), Execution.standard().inFlight(inFlight))
                        .map(Sample::value)
                        .blockLast();
        return samples / ((System.nanoTime() - started) / 1e9);
    }

    /** How long the server takes by a plain socket with one request at a time. */
    double bareMillis(int requests) {
        return server.bareSeconds(requests) * 1e3;
    }

    @Override
    public void close() {
        store.close();
        server.close();
    }
}
