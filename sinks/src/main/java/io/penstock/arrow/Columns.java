package io.penstock.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.penstock.arrow.internal.BatchWords;
import io.penstock.batch.Batch;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;

/** What the batches of one Arrow stream have in common: their fields, and the mask after them if they have one. */
record Columns(List<Column> columns) {

    private static final String VERSION = "penstock.version";

    static Columns of(Batch batch) {
        List<Column> columns = new ArrayList<>();
        for (String name : batch.names()) {
            columns.add(column(name, batch.tensor(name)));
        }
        batch.mask().ifPresent(mask -> columns.add(column(BatchWords.MASK, mask)));
        return new Columns(List.copyOf(columns));
    }

    private static Column column(String name, Tensor tensor) {
        return new Column(name, tensor.dtype(), tensor.shape().dropFirst());
    }

    static List<Tensor> tensors(Batch batch) {
        List<Tensor> tensors = new ArrayList<>();
        for (String name : batch.names()) {
            tensors.add(batch.tensor(name));
        }
        batch.mask().ifPresent(tensors::add);
        return tensors;
    }

    /** The schema, in a message that is being built; its offset there. */
    int schema(FlatBufferBuilder message) {
        int[] fields =
                columns.stream().mapToInt(column -> column.field(message)).toArray();
        int vector = Schema.createFieldsVector(message, fields);
        int metadata = Schema.createCustomMetadataVector(message, new int[] {Column.entry(message, VERSION, "1")});
        return Schema.createSchema(message, Endianness.Little, vector, metadata, 0);
    }

    /**
     * The record batch, in a message that is being built; its offset there.
     * @param starts where the tensors' bytes begin in the body
     * @param bytes  how many they are
     */
    int recordBatch(FlatBufferBuilder message, long rows, long[] starts, long[] bytes) {
        int buffers = columns.stream()
                .mapToInt(column -> BatchWords.buffers(column.row()))
                .sum();
        RecordBatch.startBuffersVector(message, buffers); // vectors are built from their ends
        for (int i = columns.size() - 1; i >= 0; i--) {
            Buffer.createBuffer(message, starts[i], bytes[i]);
            for (int bitmaps = BatchWords.buffers(columns.get(i).row()) - 1; bitmaps > 0; bitmaps--) {
                Buffer.createBuffer(message, starts[i], 0); // nothing is null
            }
        }
        int bufferVector = message.endVector();
        int nodes =
                columns.stream().mapToInt(column -> column.isScalar() ? 1 : 2).sum();
        RecordBatch.startNodesVector(message, nodes);
        for (int i = columns.size() - 1; i >= 0; i--) {
            Column column = columns.get(i);
            if (!column.isScalar()) {
                FieldNode.createFieldNode(message, rows * column.row().elements(), 0);
            }
            FieldNode.createFieldNode(message, rows, 0);
        }
        int nodeVector = message.endVector();
        return RecordBatch.createRecordBatch(message, rows, nodeVector, bufferVector, 0, 0);
    }
}
