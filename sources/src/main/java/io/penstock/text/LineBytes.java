package io.penstock.text;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.List;
import reactor.core.publisher.Mono;

/** The lines of text files as bytes, {@code u8[n]}, without what ends them; see {@link TextLines#bytes}. */
final class LineBytes implements Dataset<Tensor> {

    private static final String KIND = "bytes";

    private final Lines lines;
    private final int maxBytes;

    LineBytes(Lines lines, int maxBytes) {
        this.lines = lines;
        this.maxBytes = maxBytes;
    }

    @Override
    public long size() {
        return lines.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return lines.fingerprint().with(KIND);
    }

    @Override
    public Mono<Tensor> get(long index) {
        return lines.read(index, maxBytes).map(bytes -> Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes));
    }

    @Override
    public SampleKey key(long index) {
        return lines.key(index).with(Fingerprint.of(KIND));
    }

    /** The file's folder, size and modification time. */
    @Override
    public List<String> state(long index) {
        return lines.state(index);
    }

    /** The file and the line's number in it, from 1. */
    @Override
    public String name(long index) {
        return lines.name(index);
    }

    @Override
    public String toString() {
        return "bytes of the lines of %d files in %s, %d samples".formatted(lines.files(), lines.location(), size());
    }
}
