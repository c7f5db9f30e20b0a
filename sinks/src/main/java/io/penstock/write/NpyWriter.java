package io.penstock.write;

import io.penstock.output.OutputStore;
import io.penstock.output.UnfinishedOutput;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.write.internal.UnfinishedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes a field of the samples as the rows of an array that NumPy opens, also with {@code mmap_mode}:
 * <pre>{@code
 *  dataset.stream(Sampler.sequential()).as(NpyWriter.of(Schema.of(Photo.class), "pixels").file(Path.of("pixels.npy")))
 * }</pre>
 *
 * <p>Shapes: {@code u8[h, w, c]} becomes {@code u8[n, h, w, c]}; of no samples, {@code u8[0]}. Draws without a value
 * are left out. Immutable.
 */
public final class NpyWriter<T> {

    private final Function<? super T, Tensor> rows;

    private NpyWriter(Function<? super T, Tensor> rows) {
        this.rows = rows;
    }

    /** Of what a function takes from each value. */
    public static <T> NpyWriter<T> of(Function<? super T, Tensor> row) {
        return new NpyWriter<>(row);
    }

    /**
     * Of one field.
     * @throws IllegalArgumentException if the schema has none of this name
     */
    public static <T> NpyWriter<T> of(Schema<T> schema, String field) {
        int at = schema.names().indexOf(field);
        if (at < 0) {
            throw new IllegalArgumentException("there is no field \"%s\": only %s".formatted(field, schema.names()));
        }
        return new NpyWriter<>(value -> schema.flatten(value).get(at));
    }

    /**
     * Writes them into one file. Emits when it is finished; on cancel or an error nothing of it is left. Writes on
     * Reactor's elastic threads.
     * <p>Fails with {@code IllegalArgumentException} at the first sample of another dtype or shape than the first
     * one's, with {@code StoreException} where it cannot be written.
     */
    public Function<Flux<Sample<T>>, Mono<Written>> file(Path file) {
        return samples -> Writing.write(
                        samples, number -> new Rows<>(UnfinishedFile.of(file), rows), Long.MAX_VALUE, file.toString())
                .single();
    }

    /** As {@link #file(Path)}, into an output of this name. */
    public Function<Flux<Sample<T>>, Mono<Written>> file(OutputStore store, String name) {
        return samples -> Writing.write(
                        samples, number -> new Rows<>(store.open(name), rows), Long.MAX_VALUE, store.location(name))
                .single();
    }

    private static final class Rows<T> extends SampleOutput<T> {

        private final Function<? super T, Tensor> rows;
        private DType dtype = DType.U8;
        private @Nullable Shape shape;

        Rows(UnfinishedOutput file, Function<? super T, Tensor> rows) {
            super(file);
            this.rows = rows;
        }

        @Override
        void append(Sample<T> sample) throws IOException {
            Tensor row = rows.apply(sample.value());
            if (shape == null) {
                dtype = row.dtype();
                shape = row.shape();
                file.append(ByteBuffer.wrap(Npy.header(dtype, shape, 0)));
            } else if (row.dtype() != dtype || !row.shape().equals(shape)) {
                throw new IllegalArgumentException(
                        "cannot write %s: its first row is %s%s, sample %d is %s%s; resize before writing"
                                .formatted(
                                        file.location(),
                                        dtype,
                                        shape,
                                        sample.draw().index(),
                                        row.dtype(),
                                        row.shape()));
            }
            file.append(row.data());
        }

        @Override
        void end(long samples) throws IOException {
            byte[] header = Npy.header(dtype, shape == null ? Shape.SCALAR : shape, samples);
            if (shape == null) {
                file.append(ByteBuffer.wrap(header));
            } else {
                file.writeStart(ByteBuffer.wrap(header));
            }
        }
    }
}
