package io.penstock.table.internal.arrow;

import io.penstock.fault.DataException;
import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Supplier;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * A message of the IPC format: what its metadata says. Generated code believes what it reads, so all of it is
 * asked within {@link #read}.
 *
 * @param prefix     the bytes before the metadata
 * @param bytes      the metadata
 * @param bodyBytes  after the metadata
 */
record ArrowMessage(int prefix, Message message, int bytes, long bodyBytes) {

    static final int PREFIX = 8;
    private static final int CONTINUES = -1;
    private static final int MAX_BYTES = 256 << 20;

    /**
     * How many bytes the metadata has, by the first eight; 0 at the end of a stream, or what is no message.
     * @return the bytes of the prefix and of the metadata
     */
    static int[] lengths(byte[] head) {
        ByteBuffer in = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        int first = in.getInt();
        boolean continues = first == CONTINUES; // not before version 0.15
        int length = continues ? in.getInt() : first;
        if (length < 0 || length > MAX_BYTES) {
            throw new FormatException(
                    "a message claims %d bytes of metadata: it is damaged, or no Arrow file".formatted(length));
        }
        return new int[] {continues ? PREFIX : Integer.BYTES, length};
    }

    /** The message that some bytes begin with. */
    static ArrowMessage at(byte[] bytes) {
        if (bytes.length < PREFIX) {
            throw new FormatException("a message is cut off: it has %d bytes".formatted(bytes.length));
        }
        int[] lengths = lengths(bytes);
        if (lengths[1] > bytes.length - lengths[0]) {
            throw new FormatException(
                    "a message claims %d bytes of metadata, %d are there".formatted(lengths[1], bytes.length));
        }
        return of(lengths[0], ByteBuffer.wrap(bytes, lengths[0], lengths[1]).slice());
    }

    /** A message by its metadata. */
    static ArrowMessage of(int prefix, ByteBuffer metadata) {
        return read(() -> {
            int bytes = metadata.remaining();
            Message message = Message.getRootAsMessage(metadata.order(ByteOrder.LITTLE_ENDIAN));
            return new ArrowMessage(prefix, message, bytes, message.bodyLength());
        });
    }

    /** Asks generated code, which fails somewhere if the bytes are no such message. */
    static <T> T read(Supplier<T> asking) {
        try {
            return asking.get();
        } catch (DataException e) {
            throw e;
        } catch (RuntimeException e) {
            // without its cause: an index out of bounds tells nobody more
            throw new FormatException(
                    "its metadata is damaged (%s)".formatted(e.getClass().getSimpleName()));
        }
    }

    boolean isDictionary() {
        return message.headerType() == MessageHeader.DictionaryBatch;
    }

    boolean isBatch() {
        return message.headerType() == MessageHeader.RecordBatch;
    }

    boolean isSchema() {
        return message.headerType() == MessageHeader.Schema;
    }

    /** The dictionary batch that this is. */
    DictionaryBatch dictionary() {
        return required((DictionaryBatch) message.header(new DictionaryBatch()));
    }

    /** The record batch that this is, or that has the values of the dictionary. */
    RecordBatch batch() {
        if (!isDictionary() && !isBatch()) {
            throw new FormatException("a message of kind %d is no batch".formatted(message.headerType()));
        }
        return required(isDictionary() ? dictionary().data() : (RecordBatch) message.header(new RecordBatch()));
    }

    private static <T> T required(@Nullable T part) {
        if (part == null) {
            throw new FormatException("a batch has no header");
        }
        return part;
    }
}
