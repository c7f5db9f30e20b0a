package io.penstock.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.penstock.arrow.internal.BatchWords;
import io.penstock.batch.Batch;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.output.UnfinishedOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.jspecify.annotations.Nullable;

/**
 * One file being written: {@code ARROW1}, two zeros, a stream, a footer that says where each batch is, its length,
 * {@code ARROW1}.
 */
final class ArrowFileRun implements AutoCloseable {

    private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);

    private final UnfinishedOutput file;
    private final boolean stream;
    private final List<Place> places = new ArrayList<>();
    private @Nullable Columns columns;

    private record Place(long start, int metadata, long body) {}

    ArrowFileRun(UnfinishedOutput file, boolean stream) {
        this.file = file;
        this.stream = stream;
    }

    void write(Batch batch) {
        try (batch) {
            Columns ofBatch = Columns.of(batch);
            Columns first = columns;
            if (first == null) {
                begin(ofBatch);
            } else if (!first.equals(ofBatch)) {
                throw new IllegalArgumentException(
                        ("cannot write batch %d to %s: an Arrow file has one schema, %s, the batch is %s; pad or"
                                        + " resize the samples")
                                .formatted(places.size(), file.location(), first.columns(), ofBatch.columns()));
            }
            List<ByteBuffer> parts = Messages.batch(ofBatch, Columns.tensors(batch), BatchWords.of(batch, Map.of()));
            int metadata = parts.get(0).remaining();
            long start = file.size();
            writeAll(parts);
            places.add(new Place(start, metadata, file.size() - start - metadata));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void begin(Columns first) throws IOException {
        if (first.columns().isEmpty()) {
            throw new IllegalArgumentException("cannot write a batch without fields to " + file.location());
        }
        if (!stream) {
            writeAll(List.of(ByteBuffer.wrap(MAGIC), ByteBuffer.allocate(2)));
        }
        writeAll(List.of(Messages.schema(first)));
        columns = first;
    }

    /** Gives the file its name; how many batches it holds. */
    long finish() {
        Columns written = columns;
        if (written == null) {
            throw new IllegalArgumentException(
                    "cannot write %s: there was no batch, so it would have no schema".formatted(file.location()));
        }
        try {
            writeAll(List.of(Messages.end()));
            if (!stream) {
                writeAll(footer(written));
            }
            file.finish();
            return places.size();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private List<ByteBuffer> footer(Columns written) {
        FlatBufferBuilder footer = new FlatBufferBuilder();
        Footer.startRecordBatchesVector(footer, places.size());
        for (int i = places.size() - 1; i >= 0; i--) {
            Place place = places.get(i);
            Block.createBlock(footer, place.start, place.metadata, place.body);
        }
        int blocks = footer.endVector();
        Footer.startDictionariesVector(footer, 0);
        int dictionaries = footer.endVector();
        int schema = written.schema(footer);
        Footer.finishFooterBuffer(
                footer, Footer.createFooter(footer, MetadataVersion.V5, schema, dictionaries, blocks, 0));
        ByteBuffer flat = footer.dataBuffer();
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0, flat.remaining());
        return List.of(flat, length, ByteBuffer.wrap(MAGIC));
    }

    private void writeAll(List<ByteBuffer> parts) throws IOException {
        file.append(parts.toArray(ByteBuffer[]::new));
    }

    private StoreException failed(IOException e) {
        return new StoreException("cannot write %s: %s".formatted(file.location(), FileErrors.reason(e)), e);
    }

    @Override
    public void close() {
        file.close();
    }
}
