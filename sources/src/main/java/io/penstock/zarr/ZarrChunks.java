package io.penstock.zarr;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** The chunks of an array, whole. */
final class ZarrChunks implements Dataset<Tensor> {

    private final ZarrArray array;
    private final SampleKey key;
    private final String metadata;

    ZarrChunks(ZarrArray array) {
        this.array = array;
        this.key = SampleKey.of(array.identity().with("chunks"));
        this.metadata = "metadata " + array.identity().hex();
    }

    @Override
    public long size() {
        return array.reader().grid().size();
    }

    @Override
    public Fingerprint fingerprint() {
        return array.fingerprint().with("chunks");
    }

    @Override
    public Mono<Tensor> get(long index) {
        Objects.checkIndex(index, size());
        return array.regions().chunk(index);
    }

    /** By its place along each axis, so that an array that grows keeps the keys of the chunks it had. */
    @Override
    public SampleKey key(long index) {
        SampleKey chunk = key;
        for (long place : array.reader().grid().coordinates(Objects.checkIndex(index, size()))) {
            chunk = chunk.with(place);
        }
        return chunk.with(array.states().of(array.reader().key(index)));
    }

    /** The store, what the metadata says, and the state of what lies under its key. */
    @Override
    public List<String> state(long index) {
        String stored = array.reader().key(Objects.checkIndex(index, size()));
        SampleKey state = new SampleKey(0, 0).with(array.states().of(stored));
        return List.of("in " + array.location(), metadata, array.states().word("chunk " + stored, state));
    }

    /** The key in the store, and where several chunks lie under one, which it is. */
    @Override
    public String name(long index) {
        String stored = array.reader().key(Objects.checkIndex(index, size()));
        return array.chunkShape().equals(array.readShape()) ? stored : stored + "#" + index;
    }

    @Override
    public String toString() {
        return "chunks of " + array;
    }
}
