package io.penstock.bench.caching;

import io.penstock.bench.DistantServer;
import io.penstock.cache.Fingerprint;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.pictures.Photograph;
import io.penstock.pipeline.Dataset;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.HttpStore;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * A JPEG file behind an HTTP server of this process that answers late, under as many names as there are samples: every
 * sample costs a request and a decode. Client and server share the processors.
 */
final class FarPictures implements AutoCloseable {

    private final DistantServer server;
    private final HttpStore store;
    private final StoreEntry entry;

    private FarPictures(DistantServer server, HttpStore store, StoreEntry entry) {
        this.server = server;
        this.store = store;
        this.entry = entry;
    }

    /**
     * Begins to serve.
     * @param latency of each answer
     * @param atOnce  requests that are answered at once, the next wait
     */
    static FarPictures serve(Duration latency, int atOnce) {
        DistantServer server = DistantServer.serve(latency, Photograph.of(0).jpeg());
        HttpStore store = HttpStore.at(
                server.address(), HttpOptions.standard().connections(atOnce).inFlight(atOnce));
        StoreEntry entry = Objects.requireNonNull(store.entry("0.jpg").block(), "the server answers every name");
        return new FarPictures(server, store, entry);
    }

    /** Undecoded files. */
    private record Files(HttpStore store, StoreEntry entry, long size) implements Dataset<ByteBuffer> {
        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("far pictures", store.location(), Long.toString(size));
        }

        @Override
        public Mono<ByteBuffer> get(long index) {
            return store.read(new StoreEntry(index + ".jpg", entry.size(), entry.version()));
        }
    }

    /** So many samples, decoded and resized. */
    Dataset<Tensor> decoded(long size) {
        ImageDecoder decoder = ImageDecoder.fastest();
        Resize resize = Resize.exact(Pictures.SIDE, Pictures.SIDE);
        return new Files(store, entry, size)
                .map(
                        "decode " + decoder.id() + ", resize",
                        bytes -> decoder.decode(Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes), resize));
    }

    @Override
    public void close() {
        store.close();
        server.close();
    }
}
