package io.penstock.serve.client;

import io.penstock.arrow.internal.BatchWords;
import io.penstock.fault.StoreException;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;

/** Reads the answer to a request for one batch: an Arrow stream as {@link io.penstock.arrow.ArrowStream} writes it. */
final class ArrowAnswer {

    private static final int PREFIX = 2 * Integer.BYTES;

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
        Map<String, Tensor> columns = new LinkedHashMap<>();
        int last = -1; // the number of a column's last buffer, which has its data
        for (int i = 0; i < schema.fieldsLength(); i++) {
            Field field = schema.fields(i);
            Map<String, String> words = metadata(field);
            last += BatchWords.buffers(BatchWords.row(words));
            Buffer data = record.buffers(last);
            ByteBuffer bytes = slice(body, Math.toIntExact(data.offset()), data.length());
            columns.put(field.name(), BatchWords.column(words, record.length(), bytes));
        }
        return new RemoteBatch(BatchWords.batch(about, columns), BatchWords.required(about, BatchWords.RESUME));
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
