package io.penstock.text;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import reactor.core.publisher.Mono;

/** The lines of text files as bytes, {@code u8[n]}, without what ends them; see {@link TextLines#bytes}. */
record LineBytes(Lines lines, int maxBytes) implements Dataset<Tensor> {

    private static final Fingerprint KIND = Fingerprint.of("bytes");

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

    /** The file and the line's number in it, from 1; its state is the file's folder, size and modification time. */
    @Override
    public SampleId id(long index) {
        return lines.id(index).with(KIND);
    }

    @Override
    public String toString() {
        return "bytes of the lines of %d files in %s, %d samples".formatted(lines.files(), lines.location(), size());
    }
}
