package io.penstock.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;

/**
 * The encapsulated messages of Arrow's IPC format: {@code FF FF FF FF}, the length of the metadata, the metadata (a
 * flatbuffer), the body. Metadata and every buffer of the body are padded to 64 bytes.
 *
 * @see <a
 * href="https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc">the
 * format</a>
 */
final class Messages {

    static final int ALIGNMENT = 64;

    private static final int CONTINUATION = -1;
    private static final int PREFIX = 2 * Integer.BYTES;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(ALIGNMENT).asReadOnlyBuffer();

    private Messages() {}

    static ByteBuffer schema(Columns columns) {
        FlatBufferBuilder message = new FlatBufferBuilder();
        return framed(message, MessageHeader.Schema, columns.schema(message), 0, 0);
    }

    /** The message of one batch: its metadata, then its body, which is the batch's own memory. */
    static List<ByteBuffer> batch(Columns columns, List<Tensor> tensors, Map<String, String> metadata) {
        List<ByteBuffer> parts = new ArrayList<>();
        parts.add(ZEROS); // its place is kept for the metadata
        long[] starts = new long[tensors.size()];
        long[] bytes = new long[tensors.size()];
        long body = 0;
        for (int i = 0; i < starts.length; i++) {
            starts[i] = body;
            bytes[i] = tensors.get(i).byteSize();
            parts.add(tensors.get(i).data());
            int padding = padding(bytes[i]);
            if (padding > 0) {
                parts.add(ZEROS.slice(0, padding));
            }
            body += bytes[i] + padding;
        }
        FlatBufferBuilder message = new FlatBufferBuilder();
        int header = columns.recordBatch(message, tensors.get(0).shape().dim(0), starts, bytes);
        int[] entries = metadata.entrySet().stream()
                .mapToInt(entry -> Column.entry(message, entry.getKey(), entry.getValue()))
                .toArray();
        int vector = Message.createCustomMetadataVector(message, entries);
        parts.set(0, framed(message, MessageHeader.RecordBatch, header, body, vector));
        return parts;
    }

    static ByteBuffer end() {
        return ByteBuffer.allocate(PREFIX)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0, CONTINUATION)
                .putInt(Integer.BYTES, 0);
    }

    private static ByteBuffer framed(FlatBufferBuilder message, byte kind, int header, long body, int metadata) {
        Message.finishMessageBuffer(
                message, Message.createMessage(message, MetadataVersion.V5, kind, header, body, metadata));
        ByteBuffer flat = message.dataBuffer();
        int length = flat.remaining() + padding(PREFIX + (long) flat.remaining());
        ByteBuffer framed = ByteBuffer.allocate(PREFIX + length).order(ByteOrder.LITTLE_ENDIAN);
        framed.putInt(CONTINUATION).putInt(length).put(flat);
        return framed.rewind();
    }

    private static int padding(long bytes) {
        return (int) (-bytes & (ALIGNMENT - 1));
    }
}
