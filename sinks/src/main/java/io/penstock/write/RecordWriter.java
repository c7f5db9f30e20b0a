package io.penstock.write;

import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes samples as records of one length, one behind the other: what the {@code records} source reads. A record is the
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
                        samples, number -> new Records<>(UnfinishedFile.of(file), schema), Long.MAX_VALUE, file)
                .single();
    }

    private static final class Records<T> implements SampleOutput<T> {

        private final UnfinishedFile file;
        private final Schema<T> schema;
        private final ByteBuffer waiting = ByteBuffer.allocateDirect(BUFFER);
        private long recordBytes = -1;

        Records(UnfinishedFile file, Schema<T> schema) {
            this.file = file;
            this.schema = schema;
        }

        @Override
        public void append(Sample<T> sample) throws IOException {
            List<Tensor> fields = schema.flatten(sample.value());
            long bytes = fields.stream().mapToLong(Tensor::byteSize).sum();
            if (recordBytes < 0) {
                recordBytes = bytes;
            } else if (bytes != recordBytes) {
                throw new IllegalArgumentException(
                        "cannot write %s: its first record has %d bytes, sample %d has %d; records are of one length"
                                .formatted(
                                        file.target(),
                                        recordBytes,
                                        sample.draw().index(),
                                        bytes));
            }
            for (Tensor field : fields) {
                put(field);
            }
        }

        private void put(Tensor field) throws IOException {
            if (field.byteSize() > waiting.remaining()) {
                flush();
            }
            if (field.byteSize() > waiting.remaining()) {
                file.append(field.data());
            } else {
                waiting.put(field.data());
            }
        }

        private void flush() throws IOException {
            file.append(waiting.flip());
            waiting.clear();
        }

        @Override
        public Written finish(long samples, long absent) throws IOException {
            flush();
            long bytes = file.channel().size();
            file.finish();
            return new Written(file.target(), samples, absent, bytes);
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
