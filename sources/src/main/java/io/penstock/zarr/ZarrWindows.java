package io.penstock.zarr;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.element.Grid;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** Regions of one shape at regular places of an array; rows are those of length 1 along the first axis, without it. */
final class ZarrWindows implements Dataset<Tensor> {

    private final ZarrArray array;
    private final Shape window;
    private final Shape stride;
    private final Shape counts;
    private final Shape given;
    private final String word;
    private final SampleKey key;
    private final String metadata;

    private ZarrWindows(ZarrArray array, Shape window, Shape stride, Shape counts, Shape given, String word) {
        this.array = array;
        this.window = window;
        this.stride = stride;
        this.counts = counts;
        this.given = given;
        this.word = word;
        this.key = SampleKey.of(array.identity().with(word + " of " + window));
        this.metadata = "metadata " + array.identity().hex();
    }

    static ZarrWindows rows(ZarrArray array) {
        Shape shape = array.shape();
        Arguments.refuse(shape.rank() == 0, "%s has no rows: it is a scalar; read it", array);
        Shape row = shape.dropFirst().prepend(1);
        long[] ones = new long[shape.rank()];
        Arrays.fill(ones, 1);
        long[] counts = ones.clone();
        counts[0] = shape.dim(0);
        return new ZarrWindows(array, row, Shape.of(ones), Shape.of(counts), shape.dropFirst(), "rows");
    }

    static ZarrWindows of(ZarrArray array, Shape window, Shape stride) {
        Shape shape = array.shape();
        boolean right = window.rank() == shape.rank() && stride.rank() == shape.rank();
        long[] counts = new long[shape.rank()];
        for (int i = 0; right && i < counts.length; i++) {
            right = window.dim(i) >= 1 && stride.dim(i) >= 1 && window.dim(i) <= shape.dim(i);
            counts[i] = right ? (shape.dim(i) - window.dim(i)) / stride.dim(i) + 1 : 0;
        }
        if (!right) {
            throw new IllegalArgumentException(
                    "window and stride must have a length of at least 1 for each axis of %s and fit in it, were %s and %s"
                            .formatted(shape, window, stride));
        }
        return new ZarrWindows(array, window, stride, Shape.of(counts), window, "windows");
    }

    @Override
    public long size() {
        return counts.elements();
    }

    @Override
    public Fingerprint fingerprint() {
        return array.fingerprint().with(word).with(window.toString()).with(stride.toString());
    }

    private long[] start(long index) {
        return Grid.corner(Objects.checkIndex(index, size()), counts, stride);
    }

    @Override
    public Mono<Tensor> get(long index) {
        return array.regions().tensor(start(index), window, given);
    }

    /** Loads the chunks of these windows, if they take up to half of {@link ZarrArray#chunkCacheBytes}. */
    @Override
    public Mono<Void> prefetch(long[] indices) {
        return Mono.defer(() -> array.regions().ahead(Arrays.stream(indices).mapToObj(this::start), window));
    }

    /**
     * The array's path and where the window begins: {@code images/rgb[17]}, {@code cube[0, 250, 500]}. Its state is the store,
     * what the metadata says, and the state of the chunks it touches.
     */
    @Override
    public SampleId id(long index) {
        long[] start = start(index);
        SampleKey sample = key;
        for (long place : start) {
            sample = sample.with(place);
        }
        return SampleId.of(
                touched(sample, start),
                () -> array.path() + (word.equals("rows") ? "[" + index + "]" : Arrays.toString(start)),
                () -> List.of(
                        "in " + array.location(),
                        metadata,
                        word + " of " + window,
                        array.states().word("chunks", touched(new SampleKey(0, 0), start))));
    }

    private SampleKey touched(SampleKey sample, long[] start) {
        ChunkStates states = array.states();
        return states.isKnown() ? states.with(sample, array, start, window) : sample;
    }

    @Override
    public String toString() {
        return "%s %s of %s".formatted(word, given, array);
    }
}
