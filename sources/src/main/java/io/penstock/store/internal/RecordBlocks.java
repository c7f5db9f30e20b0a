package io.penstock.store.internal;

import io.penstock.fault.StoreException;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.Thrown;
import io.penstock.store.MemoryStore;
import io.penstock.store.StoreFile;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Reads records of files, neighbours together: a block is all records that begin in the same 384 KiB of a file, and is
 * read once for those in flight and those that follow. Blocks stay in memory until all of their records were taken, or
 * other blocks need the room.
 *
 * <p>A block is read whole if more than a sixteenth of it, or of the block before it, was asked for lately, and more
 * than four records. An order that jumps through more data than the blocks in memory hold reads single records, as so
 * much is seldom asked for in time. What is asked for while a block is held counts anew, so a block that was not worth
 * it is not read again soon.
 *
 * <p>Where an order goes through the file, four blocks are read ahead, while the samples of the one before them are
 * made. Such a read goes on when the stream that caused it is cancelled.
 *
 * <p>Records of more than 64 KiB are read alone, and those of files in memory. Those of at least a sixteenth of their
 * block share its bytes, so a sample keeps at most 16 times its own size in memory. Smaller ones are copied.
 *
 * <p>The blocks of all data sets of a process have one budget, 256 MiB or an eighth of the heap. Those of a data set that
 * is closed, or no longer reachable, are dropped.
 */
public final class RecordBlocks implements AutoCloseable {

    private static final int PART_SHIFT = Integer.SIZE; // no file has as many blocks
    private static final AtomicInteger PARTS = new AtomicInteger();
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int SHARE = 16;

    /** With its last record less than half of the smallest region of G1, which treats larger arrays apart. */
    private static final int BLOCK_BYTES = 384 << 10;

    /** How many records of a block are the least that make it worth reading. */
    private static final int FEW = 4;

    private static final int BLOCKS_AHEAD = 4;

    /** A read of its own costs a larger record less than the memory of a block: measured by {@code bench tfrecord}. */
    private static final int MAX_RECORD = 64 << 10;

    private static final long BUDGET = HeapLimit.of(256 << 20, 4);
    private static final ChunkCache<Block> SHARED = cache(BUDGET);

    private final int blockBytes;
    private final int maxRecord;
    private final int ahead;
    private final ChunkCache<Block> blocks;
    private final int firstPart;
    private final Cleaner.Cleanable cleanable;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, Use> uses;
    private volatile @Nullable Block recent;

    /** Where the records of a file lie: in their order, none within another. */
    public interface Spans {
        long size();

        long start(long record);

        /** Where it ends, exclusively. */
        long end(long record);
    }

    /**
     * Records of one length, one after the other.
     * @param first where the first begins
     */
    public record Equal(long first, int length, long size) implements Spans {
        @Override
        public long start(long record) {
            return first + record * length;
        }

        @Override
        public long end(long record) {
            return start(record) + length;
        }
    }

    /** How many bytes of a block were asked for. */
    private static final class Use {
        private final AtomicLong bytes = new AtomicLong();
    }

    /** Bytes of a file, which are not written to any more. */
    private static final class Block {
        private final long key;
        private final long start;
        private final ByteBuffer bytes;
        private final long wanted;
        private final Use use;
        private volatile boolean entered; // racy by intent: what is read ahead twice is read once

        /** @param wanted the bytes of its records, without what lies between them and what is read alone */
        Block(long key, long start, ByteBuffer bytes, long wanted, Use use) {
            this.key = key;
            this.start = start;
            this.bytes = bytes;
            this.wanted = wanted;
            this.use = use;
        }

        private boolean has(long from, int length) {
            return from >= start && from + length <= start + bytes.remaining();
        }

        /** Whether this is the first record that is taken, and lies near the beginning. */
        private boolean isEnteredAt(long from) {
            if (entered) {
                return false;
            }
            entered = true;
            return from - start <= bytes.remaining() / SHARE;
        }

        private ByteBuffer part(long from, int length) {
            int at = bytes.position() + (int) (from - start);
            if ((long) length * SHARE >= bytes.remaining()) {
                return bytes.slice(at, length);
            }
            if (bytes.hasArray()) { // copyOfRange fills no array with zeros first
                int first = bytes.arrayOffset() + at;
                return ByteBuffer.wrap(Arrays.copyOfRange(bytes.array(), first, first + length));
            }
            return ByteBuffer.allocate(length).put(0, bytes, at, length);
        }
    }

    /** @param parts the number of files */
    public RecordBlocks(int parts) {
        this(parts, BLOCK_BYTES, MAX_RECORD, BUDGET, SHARED);
    }

    /**
     * Of one file, with a budget of their own.
     * @param maxRecord longer ones are read alone
     */
    RecordBlocks(int blockBytes, int maxRecord, long budget) {
        this(1, blockBytes, maxRecord, budget, cache(budget));
    }

    private RecordBlocks(int parts, int blockBytes, int maxRecord, long budget, ChunkCache<Block> blocks) {
        this.maxRecord = maxRecord;
        this.blockBytes = blockBytes;
        this.ahead = (int) Math.min(BLOCKS_AHEAD, budget / blockBytes / 4);
        this.blocks = blocks;
        int first = PARTS.getAndAdd(parts);
        this.firstPart = first;
        this.cleanable = CLEANER.register(this, () -> blocks.forgetIf(key -> isOf(key, first, parts)));
        long remembered = Math.max(2, budget / blockBytes);
        this.uses = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Use> eldest) {
                return size() > remembered;
            }
        };
    }

    private static ChunkCache<Block> cache(long budget) {
        return new ChunkCache<>(budget, block -> block.bytes.remaining());
    }

    private static boolean isOf(long key, int firstPart, int parts) {
        return Integer.compareUnsigned((int) (key >> PART_SHIFT) - firstPart, parts) < 0;
    }

    /**
     * What a function makes of a record's bytes, which nobody writes to. Within a block that is held the {@code Mono} is
     * a {@code Callable}.
     * @param part a number of the file's own
     */
    public <R> Mono<R> read(int part, StoreFile file, Spans spans, long record, Function<ByteBuffer, R> made) {
        long start = spans.start(record);
        int length = Math.toIntExact(spans.end(record) - start);
        if (length == 0) {
            return Mono.fromCallable(Thrown.callable(() -> made.apply(ByteBuffer.allocate(0))));
        }
        if (length > maxRecord || file.store() instanceof MemoryStore) {
            return file.read(start, length).map(Thrown.function(made));
        }
        long key = (long) (firstPart + part) << PART_SHIFT | start / blockBytes;
        Block held = held(key);
        if (held != null && held.has(start, length)) {
            return Mono.fromCallable(Thrown.callable(() -> made.apply(take(held, file, spans, record, start, length))));
        }
        Mono<ByteBuffer> alone = file.read(start, length);
        return Mono.defer(() -> isNear(key, file, length)
                        ? blocks.get(key, () -> load(key, file, spans, record))
                                .filter(block -> block.has(start, length))
                                .map(block -> take(block, file, spans, record, start, length))
                                .onErrorResume(StoreException.class, e -> Mono.empty())
                                .switchIfEmpty(alone) // bytes nearby that cannot be read are no fault of this record
                        : alone)
                .map(Thrown.function(made));
    }

    /** The bytes of a record of a block. A block of which all was taken is not held any longer. */
    private ByteBuffer take(Block block, StoreFile file, Spans spans, long record, long start, int length) {
        if (block.isEnteredAt(start)) {
            readAhead(block.key, file, spans, record);
        }
        if (block.use.bytes.addAndGet(length) == block.wanted) {
            blocks.forget(block.key);
        }
        return block.part(start, length);
    }

    private @Nullable Block held(long key) {
        Block last = recent;
        if (last != null && last.key == key) {
            return last; // most often, and without a lock
        }
        Block held = blocks.held(key);
        recent = held;
        return held;
    }

    /** Counts what is asked for of a block that is not held; returns whether to read it whole. */
    private boolean isNear(long key, StoreFile file, int length) {
        if (blocks.isUnderWay(key)) {
            return true; // and counted when it is taken
        }
        lock.lock();
        try {
            Use before = uses.get(key - 1);
            Use use = uses.computeIfAbsent(key, missing -> new Use());
            use.bytes.addAndGet(length);
            long bytes = Math.min(blockBytes, file.size() - within(key));
            long enough = Math.max(bytes / SHARE, (long) FEW * length);
            return use.bytes.get() > enough || before != null && before.bytes.get() > enough;
        } finally {
            lock.unlock();
        }
    }

    private Mono<Block> load(long key, StoreFile file, Spans spans, long record) {
        long from = within(key);
        long first = firstFrom(spans, from, 0, record);
        long next = firstFrom(spans, from + blockBytes, record + 1, spans.size());
        long start = spans.start(first);
        long end = spans.end(next - 1);
        if (isLarge(spans, next - 1)) {
            end = spans.start(next - 1);
        }
        long wanted = 0;
        for (long i = first; i < next; i++) {
            wanted += isLarge(spans, i) ? 0 : spans.end(i) - spans.start(i);
        }
        long all = wanted;
        Use use = restarted(key);
        return file.read(start, (int) (end - start)).map(bytes -> new Block(key, start, bytes, all, use));
    }

    /** Reads the next blocks, if the one before this was asked for too: the order goes through the file. */
    private void readAhead(long key, StoreFile file, Spans spans, long record) {
        if (!isUsed(key - 1)) {
            return;
        }
        for (long next = key + 1; next <= key + ahead; next++) {
            long wanted = next;
            long first = firstFrom(spans, within(next), record, spans.size());
            boolean any = first < spans.size() && spans.start(first) < within(next) + blockBytes;
            if (any && !isLarge(spans, first)) {
                blocks.get(next, () -> load(wanted, file, spans, first))
                        .subscribe(block -> {}, e -> {}); // a record that is asked for tells why it cannot be read
            }
        }
    }

    /** Whether a record is read alone. */
    private boolean isLarge(Spans spans, long record) {
        return spans.end(record) - spans.start(record) > maxRecord;
    }

    private boolean isUsed(long key) {
        lock.lock();
        try {
            Use use = uses.get(key);
            return use != null && use.bytes.get() > blockBytes / 2;
        } finally {
            lock.unlock();
        }
    }

    private long within(long key) {
        return (key & (1L << PART_SHIFT) - 1) * blockBytes;
    }

    /** What is asked for from now on tells whether the block is worth another read. */
    private Use restarted(long key) {
        lock.lock();
        try {
            Use use = new Use();
            uses.put(key, use);
            return use;
        } finally {
            lock.unlock();
        }
    }

    /** The first of some records that begins at a byte or later; {@code to} if none does. */
    private static long firstFrom(Spans spans, long at, long from, long to) {
        long low = from;
        long high = to;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (spans.start(middle) < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** What the blocks that are held take in memory. */
    long bytes() {
        return blocks.bytes();
    }

    /** Drops the blocks that are held; reads may go on. */
    @Override
    public void close() {
        cleanable.clean();
    }
}
