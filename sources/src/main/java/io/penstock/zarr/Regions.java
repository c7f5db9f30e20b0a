package io.penstock.zarr;

import io.penstock.internal.Thrown;
import io.penstock.store.internal.ChunkCache;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.element.ChunkTensor;
import io.penstock.zarr.internal.element.Grid;
import io.penstock.zarr.internal.element.RegionCells;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Puts regions together from chunks, which are loaded once for all regions that need them at the same time. */
final class Regions {

    private static final int IN_FLIGHT = 16; // chunks of one region
    private static final int AT_HAND = 64; // chunks that are looked up before anything is waited for

    private final ArrayMetadata metadata;
    private final Grid grid;
    private final LongFunction<Mono<Chunk>> source;
    private final ChunkCache<Chunk> chunks;

    Regions(ArrayMetadata metadata, Grid grid, LongFunction<Mono<Chunk>> source, long budget) {
        this.metadata = metadata;
        this.grid = grid;
        this.source = source;
        this.chunks = new ChunkCache<>(budget, Chunk::bytes);
    }

    static Shape between(long[] start, long[] stop, Shape within) {
        boolean right = start.length == within.rank() && stop.length == within.rank();
        long[] dims = new long[within.rank()];
        for (int i = 0; right && i < dims.length; i++) {
            right = start[i] >= 0 && start[i] <= stop[i] && stop[i] <= within.dim(i);
            dims[i] = stop[i] - start[i];
        }
        if (!right) {
            throw new IllegalArgumentException("region must lie within %s, was %s to %s"
                    .formatted(within, Arrays.toString(start), Arrays.toString(stop)));
        }
        return Shape.of(dims);
    }

    /** The chunks that a region touches: where the first lies, and how many there are along each axis. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Touched(long[] first, Shape counts) {

        static Touched of(long[] start, Shape region, Shape chunk) {
            long[] first = new long[start.length];
            long[] counts = new long[start.length];
            for (int i = 0; i < first.length; i++) {
                long length = chunk.dim(i);
                first[i] = start[i] / length;
                counts[i] = region.dim(i) == 0 ? 0 : (start[i] + region.dim(i) - 1) / length - first[i] + 1;
            }
            return new Touched(first, Shape.of(counts));
        }

        /** The place of one of them among all chunks. */
        long[] place(long number) {
            long[] at = Grid.coordinates(number, counts);
            for (int i = 0; i < at.length; i++) {
                at[i] += first[i];
            }
            return at;
        }
    }

    private Touched touched(long[] start, Shape region) {
        return Touched.of(start, region, grid.chunk());
    }

    private long index(Touched touched, long number) {
        return grid.index(touched.place(number));
    }

    /** A region as a tensor; without a copy where it is one chunk. */
    Mono<Tensor> tensor(long[] start, Shape region, Shape given) {
        if (!isOneChunk(start, region)) {
            return read(start, region, cells -> cells.tensor(given));
        }
        long index = index(touched(start, region), 0);
        Chunk held = chunks.held(index);
        return held != null
                ? Mono.fromCallable(() -> tensor(held, index, start, region, given))
                : load(index).map(Thrown.function(chunk -> tensor(chunk, index, start, region, given)));
    }

    private boolean isOneChunk(long[] start, Shape region) {
        if (metadata.type().isLines() || !region.equals(grid.chunk()) || region.elements() == 0) {
            return false;
        }
        for (int i = 0; i < start.length; i++) {
            if (start[i] % region.dim(i) != 0) {
                return false;
            }
        }
        return true;
    }

    private Tensor tensor(Chunk chunk, long index, long[] start, Shape region, Shape given) {
        Tensor tensor = chunk.tensor();
        if (tensor == null) {
            return put(begin(start, region), chunk, index).tensor(given);
        }
        ChunkTensor.require(tensor, region, metadata.type());
        return tensor.reshape(ChunkTensor.shape(given, metadata.type()));
    }

    /** A region, made at once where its chunks are at hand. */
    <R> Mono<R> read(long[] start, Shape region, Function<RegionCells, R> as) {
        Touched touched = touched(start, region);
        long count = touched.counts.elements();
        if (count <= AT_HAND) {
            Chunk[] held = held(touched, (int) count);
            if (held != null) {
                return Mono.fromCallable(() -> {
                    RegionCells cells = begin(start, region);
                    for (int i = 0; i < held.length; i++) {
                        put(cells, held[i], index(touched, i));
                    }
                    return as.apply(cells);
                });
            }
        }
        if (count == 1) {
            long index = index(touched, 0);
            return load(index).map(Thrown.function(chunk -> as.apply(put(begin(start, region), chunk, index))));
        }
        if (count > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("region %s of chunks %s has too many of them: %d; read a smaller one"
                    .formatted(region, grid.chunk(), count));
        }
        return Mono.defer(Thrown.supplier(() -> {
            RegionCells cells = begin(start, region);
            return Flux.range(0, (int) count)
                    .map(number -> index(touched, number))
                    .flatMap(index -> load(index).map(Thrown.function(chunk -> put(cells, chunk, index))), IN_FLIGHT)
                    .then(Mono.fromCallable(Thrown.callable(() -> as.apply(cells))));
        }));
    }

    private RegionCells begin(long[] start, Shape region) {
        return new RegionCells(metadata.type(), metadata.fill(), start, region);
    }

    private Chunk @Nullable [] held(Touched touched, int count) {
        Chunk[] held = new Chunk[count];
        for (int i = 0; i < count; i++) {
            Chunk chunk = chunks.held(index(touched, i));
            if (chunk == null) {
                return null;
            }
            held[i] = chunk;
        }
        return held;
    }

    Mono<Chunk> load(long index) {
        return chunks.get(index, () -> source.apply(index));
    }

    /** Loads the chunks of regions that are read soon; fails never. */
    Mono<Void> ahead(Stream<long[]> starts, Shape region) {
        LongStream wanted = starts.map(start -> touched(start, region))
                .flatMapToLong(touched ->
                        LongStream.range(0, touched.counts.elements()).map(number -> index(touched, number)));
        return chunks.ahead(wanted, source);
    }

    private RegionCells put(RegionCells cells, Chunk chunk, long index) {
        long[] corner = grid.corner(index);
        Tensor tensor = chunk.tensor();
        if (tensor == null) {
            cells.putFill(corner, grid.chunk());
        } else {
            ChunkTensor.require(tensor, grid.chunk(), metadata.type());
            cells.put(tensor, corner, grid.chunk());
        }
        return cells;
    }

    /** A whole chunk as caches keep it, filled where it is not stored. */
    Mono<Tensor> chunk(long index) {
        return load(index).map(Thrown.function(chunk -> {
            Tensor tensor = chunk.tensor();
            if (tensor != null) {
                return tensor;
            }
            RegionCells filled = begin(new long[grid.chunk().rank()], grid.chunk());
            filled.putFill(new long[grid.chunk().rank()], grid.chunk());
            return filled.chunk();
        }));
    }
}
