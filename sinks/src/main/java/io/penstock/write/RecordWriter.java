package io.penstock.write;

import io.penstock.output.OutputStore;
import io.penstock.output.UnfinishedOutput;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.write.internal.UnfinishedFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes samples as records of one length, one after the other: what the {@code records} source reads. A record is the
 * bytes of all fields in the schema's order. Immutable.
 */
public final class RecordWriter<T> {

    private static final int BUFFER = 1 << 18;

    private final Schema<T> schema;

    private RecordWriter(Schema<T> schema) {
        this.schema = schema;
    }

    /** Of all fields. */
    public static <T> RecordWriter<T> of(Schema<T> schema) {
        return new RecordWriter<>(schema);
    }

    /**
     * Writes them into one file. Emits when it is finished; on cancel or an error nothing of it is left. Writes on
     * Reactor's elastic threads. Draws without a value are left out.
     * <p>Fails with {@code IllegalArgumentException} at the first sample of another length than the first one's, with
     * {@code StoreException} where it cannot be written.
     */
    public Function<Flux<Sample<T>>, Mono<Written>> file(Path file) {
        return samples -> Writing.write(
                        samples,
                        number -> new Records<>(UnfinishedFile.of(file), schema),
                        Long.MAX_VALUE,
                        file.toString())
                .single();
    }

    /** As {@link #file(Path)}, into an output of this name. */
    public Function<Flux<Sample<T>>, Mono<Written>> file(OutputStore store, String name) {
        return samples -> Writing.write(
                        samples,
                        number -> new Records<>(store.open(name), schema),
                        Long.MAX_VALUE,
                        store.location(name))
                .single();
    }

    private static final class Records<T> extends SampleOutput<T> {

        private final Schema<T> schema;
        private final BufferedOutputStream out;
        private long recordBytes = -1;

        Records(UnfinishedOutput file, Schema<T> schema) {
            super(file);
            this.schema = schema;
            this.out = new BufferedOutputStream(new AppendingStream(file), BUFFER);
        }

        @Override
        void append(Sample<T> sample) throws IOException {
            List<Tensor> fields = schema.flatten(sample.value());
            long bytes = fields.stream().mapToLong(Tensor::byteSize).sum();
            if (recordBytes < 0) {
                recordBytes = bytes;
            } else if (bytes != recordBytes) {
                throw new IllegalArgumentException(
                        "cannot write %s: its first record has %d bytes, sample %d has %d; records are of one length"
                                .formatted(
                                        file.location(),
                                        recordBytes,
                                        sample.draw().index(),
                                        bytes));
            }
            for (Tensor field : fields) {
                out.write(field.toByteArray());
            }
        }

        @Override
        void end(long samples) throws IOException {
            out.flush();
        }
    }
}
