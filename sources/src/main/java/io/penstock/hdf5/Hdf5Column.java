package io.penstock.hdf5;

import io.penstock.fault.FormatException;
import io.penstock.internal.Thrown;
import io.penstock.store.LocalStore;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.ChunkCache;
import io.penstock.store.internal.RecordGroup;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.FillValue;
import io.penstock.zarr.internal.element.Grid;
import io.penstock.zarr.internal.element.RegionCells;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The rows of a data set as they lie in the file, by chunks that are decoded once and kept while they are used. */
final class Hdf5Column {

    private static final long BUDGET = 128L << 20;
    private static final int AT_ONCE = 16;
    private static final int READ_ALONE = 16 << 10; // a row that is worth a read of its own
    private static final long NOT_STORED = -1; // the chunk that stands for all these

    private final String path;
    private final StoreFile file;
    private final Layout layout;
    private final ElementType type;
    private final Grid grid;
    private final FillValue fill;
    private final int rowBytes;
    private final boolean holdsWholeRows;
    private final ChunkCache<ByteBuffer> chunks = new ChunkCache<>(BUDGET, ByteBuffer::capacity);

    /** Where a chunk lies, and what makes its elements of the bytes there. */
    record Piece(long at, int length, Function<ByteBuffer, ByteBuffer> decoded) {}

    /**
     * How the rows lie.
     *
     * @param shape  with one axis at least
     * @param chunk  what is read at a time
     * @param width  bytes of an element
     * @param fill   the bytes of an element that is not stored
     * @param plain  whether the bytes of a chunk in the file are its elements
     * @param pieces the chunks by their numbers; null for one that is not stored
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Layout(
            Shape shape, Shape chunk, int width, byte[] fill, boolean plain, LongFunction<@Nullable Piece> pieces) {}

    Hdf5Column(String path, StoreFile file, Layout layout) {
        this.path = path;
        this.file = file;
        this.layout = layout;
        this.type = new ElementType("", ElementType.Kind.RAW, DType.U8, layout.width, false);
        this.grid = Grid.over(layout.shape, layout.chunk);
        this.fill = new FillValue(layout.fill);
        this.rowBytes = (int) (rowShape().elements() * layout.width);
        this.holdsWholeRows = layout.chunk.dropFirst().equals(rowShape());
    }

    String path() {
        return path;
    }

    Shape shape() {
        return layout.shape;
    }

    Shape rowShape() {
        return layout.shape.dropFirst();
    }

    int rowBytes() {
        return rowBytes;
    }

    int width() {
        return layout.width;
    }

    /** Where a row lies in the file; null if it has to be decoded, or is not stored whole. */
    <R> RecordGroup.@Nullable Piece<R> plain(int place, long index, Function<ByteBuffer, R> made) {
        Piece chunk = layout.plain && holdsWholeRows ? layout.pieces.apply(first(index)) : null;
        return chunk == null || chunk.length < offset(index) + rowBytes
                ? null
                : new RecordGroup.Piece<>(place, 0, file, chunk.at + offset(index), rowBytes, made);
    }

    /** Whether a row has to be decoded, and lies in one chunk. */
    boolean isInOneChunk() {
        return !layout.plain && holdsWholeRows;
    }

    /** The chunk in which a row begins. */
    private long first(long index) {
        return index / layout.chunk.dim(0) * (grid.size() / grid.counts().dim(0));
    }

    /** Where a row begins in a chunk that holds it whole. */
    private int offset(long index) {
        return (int) (index % layout.chunk.dim(0)) * rowBytes;
    }

    /** The places of rows, by the chunks in which these begin. */
    Collection<List<Integer>> byChunk(long... indices) {
        return IntStream.range(0, indices.length)
                .boxed()
                .collect(Collectors.groupingBy(
                        place -> first(Objects.checkIndex(indices[place], layout.shape.dim(0))),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .values();
    }

    /** The rows of the chunk in which one lies, by their indices. */
    Mono<LongFunction<ByteBuffer>> rows(long index) {
        return chunk(first(index)).map(chunk -> row -> cut(chunk, row));
    }

    /** The bytes of a row, which are not to be written to. */
    Mono<ByteBuffer> row(long index) {
        RecordGroup.@Nullable Piece<ByteBuffer> plain =
                rowBytes < READ_ALONE ? null : plain(0, index, Function.identity());
        if (plain != null) {
            return plain.load(); // held with its chunk, it would push out those that took decoding
        }
        long first = first(index);
        if (!holdsWholeRows) {
            return assembled(index, first);
        }
        @Nullable ByteBuffer held = chunks.held(first);
        return held != null
                ? Mono.fromCallable(() -> cut(held, index))
                : chunk(first).map(Thrown.function(chunk -> cut(chunk, index)));
    }

    private ByteBuffer cut(ByteBuffer chunk, long index) {
        return RecordGroup.part(chunk, offset(index), rowBytes);
    }

    /** A row of several chunks. */
    private Mono<ByteBuffer> assembled(long index, long first) {
        return Mono.defer(() -> {
            long[] start = new long[layout.shape.rank()];
            start[0] = index;
            RegionCells cells = new RegionCells(type, fill, start, rowShape().prepend(1));
            return Flux.range(0, (int) (grid.size() / grid.counts().dim(0)))
                    .map(number -> first + number)
                    .flatMap(number -> chunk(number).doOnNext(chunk -> put(cells, chunk, number)), AT_ONCE)
                    .then(Mono.fromCallable(() -> ByteBuffer.wrap(cells.bytes())));
        });
    }

    private void put(RegionCells cells, ByteBuffer chunk, long number) {
        cells.put(Tensor.of(DType.U8, Shape.of(chunk.capacity()), chunk), grid.corner(number), grid.chunk());
    }

    /** The elements of a chunk. */
    private Mono<ByteBuffer> chunk(long number) {
        Piece piece = layout.pieces.apply(number);
        return piece == null
                ? chunks.get(NOT_STORED, () -> Mono.fromCallable(this::filled))
                : chunks.get(
                        number,
                        () -> LocalStore.read(
                                file.store(),
                                file.entry(),
                                piece.at,
                                piece.length,
                                bytes -> decoded(piece, bytes, number)));
    }

    private ByteBuffer filled() {
        long[] start = new long[layout.shape.rank()];
        RegionCells cells = new RegionCells(type, fill, start, layout.chunk);
        cells.putFill(start, layout.chunk);
        return ByteBuffer.wrap(cells.bytes());
    }

    private ByteBuffer decoded(Piece piece, ByteBuffer bytes, long number) {
        try {
            return piece.decoded.apply(bytes);
        } catch (FormatException e) {
            throw new FormatException(
                    "cannot decode chunk %s of %s in %s: %s"
                            .formatted(
                                    Arrays.toString(grid.coordinates(number)),
                                    path,
                                    file.entry().key(),
                                    e.getMessage()),
                    e);
        }
    }
}
