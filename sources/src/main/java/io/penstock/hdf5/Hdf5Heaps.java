package io.penstock.hdf5;

import io.penstock.fault.FormatException;
import io.penstock.internal.HeapLimit;
import io.penstock.store.LocalStore;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.ChunkCache;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import reactor.core.publisher.Mono;

/**
 * The collections of a file in which lists and texts of any length lie, read as they are needed and kept while they are
 * among the last used.
 * @see <a href="https://docs.hdfgroup.org/hdf5/develop/_f_m_t3.html">HDF5 File Format Specification, III.E</a>
 */
final class Hdf5Heaps {

    private static final long BUDGET = 32L << 20;
    private static final int FIRST = 4 << 10; // the size of nearly all
    private static final int HEADER = 16;
    private static final int SIGNATURE = 'G' | 'C' << 8 | 'O' << 16 | 'L' << 24;

    private final StoreFile file;
    private final long base;
    private final ChunkCache<Heap> heaps = new ChunkCache<>(BUDGET, heap -> heap.bytes.capacity());

    /** A collection, and where its objects lie. */
    private record Heap(ByteBuffer bytes, Map<Integer, ByteBuffer> objects) {}

    /** @param base where addresses count from */
    Hdf5Heaps(StoreFile file, long base) {
        this.file = file;
        this.base = base;
    }

    /**
     * The bytes of a list.
     * @param reference its length, the collection's address and its number there
     * @param width     of its elements
     */
    Mono<ByteBuffer> object(ByteBuffer reference, int width) {
        ByteBuffer from = reference.order(ByteOrder.LITTLE_ENDIAN);
        int at = from.position();
        long bytes = (from.getInt(at) & 0xFFFF_FFFFL) * width;
        long address = from.getLong(at + Integer.BYTES);
        int number = from.getInt(at + Integer.BYTES + Long.BYTES);
        if (bytes == 0) {
            return Mono.just(ByteBuffer.allocate(0));
        }
        return heaps.get(address, () -> load(address)).map(heap -> {
            ByteBuffer object = heap.objects.get(number);
            if (object == null || object.remaining() < bytes) {
                throw new FormatException("%s is damaged: the heap at byte %d has no object %d of %d bytes"
                        .formatted(file.entry().key(), address, number, bytes));
            }
            return object.slice(0, (int) bytes);
        });
    }

    private Mono<Heap> load(long address) {
        long left = address < 0 ? 0 : file.size() - base - address;
        if (left < HEADER) {
            return Mono.error(damaged(address, "there is none"));
        }
        return read(address, (int) Math.min(FIRST, left)).flatMap(bytes -> {
            long size = bytes.getLong(Long.BYTES);
            if (bytes.getInt(0) != SIGNATURE || size < HEADER || size > Math.min(left, HeapLimit.MAX_ARRAY)) {
                return Mono.error(damaged(address, "it claims %d bytes".formatted(size)));
            }
            return size <= bytes.capacity()
                    ? Mono.fromCallable(() -> parse(bytes.slice(0, (int) size), address))
                    : read(address, (int) size).map(all -> parse(all, address));
        });
    }

    private Mono<ByteBuffer> read(long address, int length) {
        return LocalStore.read(
                file.store(),
                file.entry(),
                base + address,
                length,
                bytes -> bytes.slice().order(ByteOrder.LITTLE_ENDIAN));
    }

    private Heap parse(ByteBuffer heap, long address) {
        ByteBuffer bytes = heap.order(ByteOrder.LITTLE_ENDIAN);
        Map<Integer, ByteBuffer> objects = new HashMap<>();
        for (int at = HEADER; at + HEADER <= bytes.capacity(); ) {
            int number = bytes.getShort(at) & 0xFFFF;
            long size = bytes.getLong(at + Long.BYTES);
            if (number == 0) {
                break; // what is free
            }
            if (size < 0 || size > bytes.capacity() - at - HEADER) {
                throw damaged(address, "its object %d claims %d bytes".formatted(number, size));
            }
            objects.put(number, bytes.slice(at + HEADER, (int) size));
            at += HEADER + (int) (size + 7 & -8);
        }
        return new Heap(bytes, objects);
    }

    private FormatException damaged(long address, String what) {
        return new FormatException("%s is damaged: of the heap at byte %d, %s"
                .formatted(file.entry().key(), address, what));
    }
}
