package io.penstock.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.penstock.batch.Batch;
import io.penstock.write.internal.UnfinishedFile;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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

    private final UnfinishedFile file;
    private final boolean stream;
    private final List<Place> places = new ArrayList<>();
    private @Nullable Columns columns;

    private record Place(long start, int metadata, long body) {}

    ArrowFileRun(Path path, boolean stream) {
        this.file = UnfinishedFile.of(path);
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
                                .formatted(places.size(), file.target(), first.columns(), ofBatch.columns()));
            }
            List<ByteBuffer> parts =
                    Messages.batch(ofBatch, Columns.tensors(batch), ArrowStream.metadata(batch, Map.of()));
            int metadata = parts.get(0).remaining();
            long start = file.channel().position();
            writeAll(parts);
            places.add(new Place(start, metadata, file.channel().position() - start - metadata));
        } catch (IOException e) {
            throw UnfinishedFile.failed(file.target(), e);
        }
    }

    private void begin(Columns first) throws IOException {
        if (first.columns().isEmpty()) {
            throw new IllegalArgumentException("cannot write a batch without fields to " + file.target());
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
                    "cannot write %s: there was no batch, so it would have no schema".formatted(file.target()));
        }
        try {
            writeAll(List.of(Messages.end()));
            if (!stream) {
                writeAll(footer(written));
            }
            file.finish();
            return places.size();
        } catch (IOException e) {
            throw UnfinishedFile.failed(file.target(), e);
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
        ByteBuffer[] all = parts.stream().map(ByteBuffer::duplicate).toArray(ByteBuffer[]::new);
        for (long left = Arrays.stream(all).mapToLong(Buffer::remaining).sum(); left > 0; ) {
            left -= file.channel().write(all);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
