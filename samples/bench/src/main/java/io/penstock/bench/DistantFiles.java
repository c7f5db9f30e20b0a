package io.penstock.bench;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.HttpStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * One file behind a {@link DistantServer} of this process, under as many names as there are samples, so that each
 * sample costs a request. Client and server share the processors.
 */
public final class DistantFiles implements AutoCloseable {

    private final DistantServer server;
    private final HttpStore store;
    private final StoreEntry entry;

    private DistantFiles(DistantServer server, HttpStore store, StoreEntry entry) {
        this.server = server;
        this.store = store;
        this.entry = entry;
    }

    /** Starts a server that answers each request with this file after a time. */
    public static DistantFiles serve(Duration latency, byte[] file, HttpOptions options) {
        DistantServer server = DistantServer.serve(latency, file);
        HttpStore store = HttpStore.at(server.address(), options);
        StoreEntry entry = Objects.requireNonNull(store.entry("0").block(), "the server answers each name");
        return new DistantFiles(server, store, entry);
    }

    private record Named(HttpStore store, StoreEntry entry, long size) implements Dataset<ByteBuffer> {
        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("distant files", store.location(), Long.toString(size));
        }

        @Override
        public Mono<ByteBuffer> get(long index) {
            return store.read(new StoreEntry(Long.toString(index), entry.size(), entry.version()));
        }
    }

    /** This many samples, each a file. */
    public Dataset<ByteBuffer> dataset(long size) {
        return new Named(store, entry, size);
    }

    /** Seconds of one request at a time by a plain socket. */
    public double bareSeconds(int requests) {
        return server.bareSeconds(requests);
    }

    @Override
    public void close() {
        store.close();
        server.close();
    }
}
