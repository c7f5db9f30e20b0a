package io.penstock.shard;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.Thrown;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.InOrder;
import io.penstock.store.internal.RecordGroup;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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

    /** The name of a file in a data set, or of a sample that begins with it. */
    String name(int file, String key) {
        return "%s@%d:%s".formatted(name, index.offset(file), key);
    }

    SampleKey key(int file) {
        return key.with(index.offset(file));
    }

    /** @throws FormatException if the archive is damaged */
    void requireUndamaged() {
        FormatException damage = index.damage();
        if (damage != null) {
            throw new FormatException(String.valueOf(damage.getMessage()), damage);
        }
    }

    boolean isDamaged() {
        return index.damage() != null;
    }

    /** The bytes of some files, in the order given, which is that of the archive. */
    Mono<List<Tensor>> read(int[] files, long max) {
        RecordGroup.Piece<List<Tensor>> together = piece(0, 0, files, max, bytes -> bytes);
        return together != null
                ? together.load()
                : Flux.range(0, files.length)
                        .transform(InOrder.map(PARTS_AT_ONCE, i -> readOne(files[i])))
                        .collectList();
    }

    /**
     * The same as one piece of the archive; null if it is too large for what is in it.
     * @throws FormatException  if the archive is damaged
     * @throws StoreException if the files are too large
     */
    <R> RecordGroup.@Nullable Piece<R> piece(
            int place, int part, int[] files, long max, Function<List<Tensor>, R> made) {
        requireUndamaged();
        long bytesOfAll = 0;
        for (int file : files) {
            bytesOfAll += index.length(file);
            if (bytesOfAll > Math.min(max, HeapLimit.MAX_ARRAY)) {
                throw tooLarge(files[0], max);
            }
        }
        long start = index.offset(files[0]);
        int last = files[files.length - 1];
        long span = index.offset(last) + index.length(last) - start;
        return span > Math.min(bytesOfAll + NEAR * (files.length - 1), HeapLimit.MAX_ARRAY)
                ? null
                : new RecordGroup.Piece<>(
                        place, part, bytes, start, (int) span, all -> made.apply(cut(all, files, start)));
    }

    private List<Tensor> cut(ByteBuffer all, int[] files, long start) {
        Tensor[] parts = new Tensor[files.length];
        for (int i = 0; i < files.length; i++) {
            int from = all.position() + (int) (index.offset(files[i]) - start);
            parts[i] = tensor(all.slice(from, (int) index.length(files[i])));
        }
        return List.of(parts);
    }

    private Mono<Tensor> readOne(int file) {
        return bytes.read(index.offset(file), (int) index.length(file)).map(Thrown.function(TarShard::tensor));
    }

    private static Tensor tensor(ByteBuffer bytes) {
        return Tensor.of(DType.U8, Shape.of(bytes.remaining()), bytes);
    }

    private StoreException tooLarge(int file, long max) {
        return new StoreException(
                "%s in %s is too large: at most %d bytes, has more with what belongs to it; raise maxSampleBytes"
                        .formatted(index.name(file), name, Math.min(max, HeapLimit.MAX_ARRAY)));
    }
}
