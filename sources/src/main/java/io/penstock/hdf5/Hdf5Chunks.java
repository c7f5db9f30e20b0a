package io.penstock.hdf5;

import io.jhdf.Constants;
import io.jhdf.HdfFile;
import io.jhdf.ObjectHeader;
import io.jhdf.api.Dataset;
import io.jhdf.dataset.chunked.Chunk;
import io.jhdf.dataset.chunked.ChunkedDatasetV3;
import io.jhdf.dataset.chunked.ChunkedDatasetV4;
import io.jhdf.object.message.FilterPipelineMessage;
import io.jhdf.storage.HdfBackingStorage;
import io.penstock.fault.FormatException;
import io.penstock.hdf5.Hdf5Column.Piece;
import io.penstock.internal.HeapLimit;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.CodecChain;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.Grid;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the chunks of a data set lie, and what decodes them: 24 bytes of memory for each that is stored. */
final class Hdf5Chunks {

    private static final long MAX_BYTES = HeapLimit.of(1L << 30, 2);

    private final Shape chunk;
    private final ElementType type;
    private final Hdf5Filters filters;
    private final long[] numbers;
    private final long[] places;
    private final int[] lengths;
    private final int[] masks;

    private record Stored(long number, long at, int length, int mask) {}

    /**
     * @param chunk    the shape of each
     * @param bytes    of the file
     * @throws FormatException if one lies out of the array or of the file, or needs a filter that is not known
     */
    Hdf5Chunks(HdfFile file, Dataset data, ObjectHeader header, Shape shape, Shape chunk, long bytes) {
        int width = data.getDataType().getSize();
        this.chunk = chunk;
        this.type = new ElementType("", ElementType.Kind.RAW, DType.U8, width, false);
        if (chunk.elements() < 1 || chunk.elements() > MAX_BYTES / width) {
            throw new FormatException("a chunk must have 1 to %d bytes, is %s of %d bytes; raise -Xmx"
                    .formatted(MAX_BYTES, chunk, width));
        }
        this.filters = new Hdf5Filters(
                header.hasMessageOfType(FilterPipelineMessage.class)
                        ? header.getMessageOfType(FilterPipelineMessage.class).getFilters()
                        : List.of(),
                width);
        Grid grid = Grid.over(shape, chunk);
        long base = file.getUserBlockSize();
        List<Stored> stored = chunks(file.getHdfBackingStorage(), data, header).stream()
                .filter(each -> each.getAddress() != Constants.UNDEFINED_ADDRESS)
                .map(each -> stored(each, grid, base))
                .sorted(Comparator.comparingLong(Stored::number))
                .toList();
        for (Stored each : stored) {
            int max = filters.without(each.mask).encodedBytes(chunk, type, MAX_BYTES);
            if (each.length < 0 || each.at < 0 || each.length > max || each.at > bytes - each.length) {
                throw new FormatException("chunk %d claims %d bytes from %d on, of a file of %d"
                        .formatted(each.number, each.length, each.at, bytes));
            }
        }
        numbers = stored.stream().mapToLong(Stored::number).toArray();
        places = stored.stream().mapToLong(Stored::at).toArray();
        lengths = stored.stream().mapToInt(Stored::length).toArray();
        masks = stored.stream().mapToInt(Stored::mask).toArray();
    }

    /** As jhdf tells its own classes of them, and no others. */
    private static Collection<Chunk> chunks(HdfBackingStorage storage, Dataset data, ObjectHeader header) {
        return data instanceof ChunkedDatasetV3
                ? new ChunkedDatasetV3(storage, data.getAddress(), data.getName(), data.getParent(), header) {
                    private Collection<Chunk> chunks() {
                        return getChunkLookup().values();
                    }
                }.chunks()
                : new ChunkedDatasetV4(storage, data.getAddress(), data.getName(), data.getParent(), header) {
                    private Collection<Chunk> chunks() {
                        return getChunkLookup().values();
                    }
                }.chunks();
    }

    private static Stored stored(Chunk chunk, Grid grid, long base) {
        long[] at = chunk.getChunkOffset();
        for (int i = 0; i < at.length; i++) {
            long length = grid.chunk().dim(i);
            if (at[i] % length != 0
                    || at[i] < 0
                    || at[i] / length >= grid.counts().dim(i)) {
                throw new FormatException("a chunk lies at %s, out of %s chunks of %s"
                        .formatted(Arrays.toString(chunk.getChunkOffset()), grid.counts(), grid.chunk()));
            }
            at[i] /= length;
        }
        long[] bits = chunk.getFilterMask().toLongArray();
        return new Stored(
                grid.index(at), chunk.getAddress() + base, chunk.getSize(), bits.length == 0 ? 0 : (int) bits[0]);
    }

    /** A chunk by its number; null if it is not stored. */
    @Nullable Piece piece(long number) {
        int at = Arrays.binarySearch(numbers, number);
        return at < 0
                ? null
                : new Piece(
                        places[at],
                        lengths[at],
                        bytes -> ByteBuffer.wrap(
                                filters.without(masks[at]).decode(CodecChain.array(bytes), chunk, type, MAX_BYTES)));
    }
}
