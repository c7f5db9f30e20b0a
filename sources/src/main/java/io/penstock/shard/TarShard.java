package io.penstock.shard;

import io.penstock.cache.SampleKey;
import io.penstock.fault.StoreException;
import io.penstock.internal.Thrown;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.InOrder;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One archive that is indexed.
 *
 * @param name  what it is called in names and errors
 * @param key   its place and state
 * @param state the same as words for people
 * @param bytes where its bytes are read, decompressed if it was compressed
 * @param index where its files lie in them
 */
record TarShard(String name, SampleKey key, List<String> state, StoreFile bytes, TarIndex index) {

    /** Files that lie this near to each other are read at once: a request costs more than the bytes between them. */
    private static final long NEAR = 64 * 1024;

    private static final int PARTS_AT_ONCE = 16;
    private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;

    /** The name of a file in a data set, or of a sample that begins with it. */
    String name(int file, String key) {
        return "%s@%d:%s".formatted(name, index.offset(file), key);
    }

    SampleKey key(int file) {
        return key.with(index.offset(file));
    }

    /** The bytes of some files, in the order given, which is that of the archive. */
    Mono<List<Tensor>> read(int[] files, long max) {
        long bytesOfAll = 0;
        boolean sparse = false;
        for (int file : files) {
            bytesOfAll += index.length(file);
            sparse |= index.isSparse(file);
            if (bytesOfAll > Math.min(max, LARGEST_ARRAY)) {
                return Mono.error(() -> tooLarge(files[0], max));
            }
        }
        long start = index.offset(files[0]);
        int last = files[files.length - 1];
        long span = index.offset(last) + index.length(last) - start;
        if (!sparse && span <= Math.min(bytesOfAll + NEAR * (files.length - 1), LARGEST_ARRAY)) {
            return bytes.read(start, (int) span).map(Thrown.function(all -> cut(all, files, start)));
        }
        return Flux.range(0, files.length)
                .transform(InOrder.map(PARTS_AT_ONCE, i -> readOne(files[i], max)))
                .collectList();
    }

    private List<Tensor> cut(ByteBuffer all, int[] files, long start) {
        Tensor[] parts = new Tensor[files.length];
        for (int i = 0; i < files.length; i++) {
            parts[i] = tensor(all.slice((int) (index.offset(files[i]) - start), (int) index.length(files[i])));
        }
        return List.of(parts);
    }

    private Mono<Tensor> readOne(int file, long max) {
        return bytes.read(index.offset(file), (int) index.length(file))
                .map(Thrown.function(read -> tensor(index.isSparse(file) ? SparseFile.expand(read, name, max) : read)));
    }

    private static Tensor tensor(ByteBuffer bytes) {
        return Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes);
    }

    private StoreException tooLarge(int file, long max) {
        return new StoreException(
                "%s in %s is too large: at most %d bytes, has more with what belongs to it; raise maxSampleBytes"
                        .formatted(index.name(file), name, Math.min(max, LARGEST_ARRAY)));
    }
}
