package io.penstock.text;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.store.internal.RecordGroup;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/** The lines of text files as bytes, {@code u8[n]}, without what ends them; see {@link TextLines#bytes}. */
record LineBytes(Lines lines, int maxBytes) implements Dataset<Tensor>, GroupLoader<Tensor> {

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
        return piece(0, index).load();
    }

    private RecordGroup.Piece<Tensor> piece(int place, long index) {
        return lines.piece(place, index, maxBytes, LineBytes::tensor);
    }

    private static Tensor tensor(ByteBuffer bytes) {
        return Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes);
    }

    @Override
    public int groupSize() {
        return lines.groupSize();
    }

    @Override
    public Mono<Void> getAll(long[] indices, Receiver<Tensor> receiver) {
        return RecordGroup.read(indices, this::piece, this::get, receiver);
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
