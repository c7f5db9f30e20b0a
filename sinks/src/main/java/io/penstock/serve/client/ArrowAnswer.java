package io.penstock.serve.client;

import io.penstock.batch.Batch;
import io.penstock.fault.StoreException;
import io.penstock.order.Position;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.jspecify.annotations.Nullable;

/** Reads the answer to a request for one batch: an Arrow stream as {@link io.penstock.arrow.ArrowStream} writes it. */
final class ArrowAnswer {

    private static final int PREFIX = 2 * Integer.BYTES;
    private static final String MASK = "penstock.mask";

    private ArrowAnswer() {}

    /** @throws StoreException if it is something else */
    static RemoteBatch read(byte[] answer) {
        try {
            return read(ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN));
        } catch (IndexOutOfBoundsException | IllegalArgumentException | NullPointerException e) {
            throw new StoreException("the answer is no Arrow stream of one batch", e);
        }
    }

    private static RemoteBatch read(ByteBuffer in) {
        Message first = message(in);
        Schema schema = Objects.requireNonNull((Schema) first.header(new Schema()));
        skip(in, first.bodyLength());
        Message second = message(in);
        RecordBatch record = Objects.requireNonNull((RecordBatch) second.header(new RecordBatch()));
        return batch(schema, record, metadata(second), slice(in, in.position(), second.bodyLength()));
    }

    private static Message message(ByteBuffer in) {
        int at = in.position() + PREFIX;
        int length = in.getInt(at - Integer.BYTES);
        Message message = Message.getRootAsMessage(slice(in, at, length));
        in.position(at + length);
        return message;
    }

    private static void skip(ByteBuffer in, long bytes) {
        in.position(in.position() + Math.toIntExact(bytes));
    }

    private static ByteBuffer slice(ByteBuffer in, int at, long bytes) {
        return in.slice(at, Math.toIntExact(bytes)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static RemoteBatch batch(Schema schema, RecordBatch record, Map<String, String> about, ByteBuffer body) {
        Map<String, Tensor> fields = new LinkedHashMap<>();
        int last = -1; // bitmaps of what is null come before the data of a field
        for (int i = 0; i < schema.fieldsLength(); i++) {
            Field field = schema.fields(i);
            Map<String, String> words = metadata(field);
            Shape row = shape(words.getOrDefault("penstock.shape", ""));
            last += row.rank() == 0 ? 2 : 3;
            Buffer data = record.buffers(last);
            DType dtype = DType.valueOf(
                    Objects.requireNonNull(words.get("penstock.dtype")).toUpperCase(Locale.ROOT));
            fields.put(
                    field.name(),
                    Tensor.of(
                            dtype,
                            stacked(record.length(), row),
                            slice(body, Math.toIntExact(data.offset()), data.length())));
        }
        @Nullable Tensor mask = fields.remove(MASK);
        Position next = new Position(number(about, "penstock.next.epoch"), number(about, "penstock.next.offset"));
        Batch batch = new Batch(
                fields,
                Math.toIntExact(number(about, "penstock.size")),
                mask,
                number(about, "penstock.epoch"),
                next,
                () -> {});
        return new RemoteBatch(batch, Objects.requireNonNull(about.get("penstock.resume")));
    }

    private static Shape shape(String dims) {
        return dims.isEmpty()
                ? Shape.SCALAR
                : Shape.of(Arrays.stream(dims.split(",", -1))
                        .mapToLong(Long::parseLong)
                        .toArray());
    }

    private static Shape stacked(long rows, Shape row) {
        long[] dims = new long[row.rank() + 1];
        dims[0] = rows;
        System.arraycopy(row.toArray(), 0, dims, 1, row.rank());
        return Shape.of(dims);
    }

    private static long number(Map<String, String> about, String name) {
        return Long.parseLong(Objects.requireNonNull(about.get(name)));
    }

    private static Map<String, String> metadata(Message message) {
        Map<String, String> words = new HashMap<>();
        for (int i = 0; i < message.customMetadataLength(); i++) {
            KeyValue entry = message.customMetadata(i);
            words.put(entry.key(), entry.value());
        }
        return words;
    }

    private static Map<String, String> metadata(Field field) {
        Map<String, String> words = new HashMap<>();
        for (int i = 0; i < field.customMetadataLength(); i++) {
            KeyValue entry = field.customMetadata(i);
            words.put(entry.key(), entry.value());
        }
        return words;
    }
}
