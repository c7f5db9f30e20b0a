package io.penstock.arrow;

import io.penstock.arrow.internal.BatchWords;
import io.penstock.batch.Batch;
import io.penstock.internal.OptionalLibrary;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Batches as the bytes of an Arrow IPC stream, which lie where the batches have them: nothing is copied.
 * <pre>{@code
 *  ArrowStream stream = ArrowStream.begin();
 *  for (ByteBuffer part : stream.next(batch, Map.of())) { channel.write(part); }
 *  batch.close();                                          // not before its parts were written
 *  channel.write(stream.end());
 * }</pre>
 *
 * <p><b>Columns.</b> A field {@code i32[n]} is a column of numbers; {@code u8[n, h, w, c]} one of
 * {@code arrow.fixed_shape_tensor}s of shape {@code [h, w, c]}. A batch with a mask has a column {@code penstock.mask}.
 * Field metadata {@code penstock.dtype} and {@code penstock.shape} say the same in our words: {@code u8} and
 * {@code 224,224,3}.
 *
 * <p><b>Metadata of each record batch.</b> {@code penstock.size}, the valid rows, which come first; {@code
 * penstock.epoch}; {@code penstock.next.epoch} and {@code penstock.next.offset}, where a run goes on that has consumed
 * the batch.
 *
 * <p>An Arrow stream has one schema. Where shapes, dtypes or names change the stream ends and another begins after it,
 * with its own schema; readers of one stream see the first. One thread at a time.
 */
public final class ArrowStream {

    private @Nullable Columns columns;

    private ArrowStream() {}

    /** A stream without a batch yet. */
    public static ArrowStream begin() {
        OptionalLibrary.ARROW.require(ArrowStream.class);
        return new ArrowStream();
    }

    /**
     * The bytes of one more batch, in order, as buffers to be read from position to limit; the first batch's begin with
     * the schema. They see the memory of the batch, which stays the caller's to close.
     * @param more metadata in addition to our own
     * @throws IllegalArgumentException if a row has more than 2^31 - 1 elements, or the batch has no field
     * @throws IllegalStateException if the batch is closed
     */
    public List<ByteBuffer> next(Batch batch, Map<String, String> more) {
        if (batch.names().isEmpty()) {
            throw new IllegalArgumentException("cannot write a batch without fields to Arrow");
        }
        List<ByteBuffer> parts = new ArrayList<>();
        Columns ofBatch = Columns.of(batch);
        if (!ofBatch.equals(columns)) {
            ByteBuffer schema = Messages.schema(ofBatch);
            if (columns != null) {
                parts.add(Messages.end());
            }
            parts.add(schema);
            columns = ofBatch;
        }
        parts.addAll(Messages.batch(ofBatch, Columns.tensors(batch), BatchWords.of(batch, more)));
        return parts;
    }

    /** What ends the stream. A stream without batches has no schema: it is these bytes alone. */
    public ByteBuffer end() {
        return Messages.end();
    }
}
