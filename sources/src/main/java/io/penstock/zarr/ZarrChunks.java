package io.penstock.zarr;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
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

    /**
     * The key in the store, and which chunk it is where several lie under one. Its state is the store, what the metadata
     * says, and the state of what lies under its key.
     */
    @Override
    public SampleId id(long index) {
        String stored = array.reader().key(Objects.checkIndex(index, size()));
        SampleKey chunk = key;
        for (long place : array.reader().grid().coordinates(index)) {
            chunk = chunk.with(place);
        }
        return SampleId.of(
                chunk.with(array.states().of(stored)),
                () -> array.chunkShape().equals(array.readShape()) ? stored : stored + "#" + index,
                () -> state(stored));
    }

    private List<String> state(String stored) {
        SampleKey state = new SampleKey(0, 0).with(array.states().of(stored));
        return List.of("in " + array.location(), metadata, array.states().word("chunk " + stored, state));
    }

    @Override
    public String toString() {
        return "chunks of " + array;
    }
}
