package io.penstock.cache;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the values lie: large pieces of memory filled from front to back.
 *
 * <p>A location is 4 bits of length code, 20 bits of slab number, from 1, and 26 bits of offset; 0 is no location. Code 0
 * is a value behind its length (LEB128); the others stand for lengths that came twice in a row. So samples of one size
 * have no headers, keep their alignment, and {@link #view} does not touch them: a miss of the processor's caches that
 * whoever copies the value pays anyway, in the shade of the one before, is not waited for here (finding one of 10^6
 * samples of 1 KiB took 600 ns with headers and takes 200 without). A value of more than a quarter of a slab has a slab of its own. Numbers are never used twice, so a location outlives its slab harmlessly: whoever drops
 * a slab (its index entries, then its reference here) turns late readers' locations into misses.
 *
 * <p>Room is handed out under a lock that is held for a few instructions; the copy happens outside of it. Views keep their
 * slab reachable, so nothing is ever unmapped under a reader.
 *
 * <p>Accounting: a mapped slab costs what was handed out of it, and the rest of its last page once the next one is begun
 * (the budget's owner keeps one page back for the open one). A direct slab costs all of itself at once, and takes at most
 * half of what is left, so that the index can always grow.
 */
final class Slabs {

    static final int OFFSET_BITS = 26;
    static final int PAGE = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(Slabs.class);
    private static final int OWN = (1 << OFFSET_BITS) - 1;
    private static final int LARGEST = 1 << OFFSET_BITS;
    private static final int SMALLEST = 4 << 20;
    private static final int NUMBER_BITS = 20;
    private static final int MAX_COUNT = 1 << NUMBER_BITS;
    private static final int CODES = 1 << 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final ByteBudget budget;
    private final SlabMemory memory;
    private final int slabBytes;

    /** By number, read-only. Grows by replacement; an element is written before any location in it is published. */
    private volatile @Nullable ByteBuffer[] slabs = new ByteBuffer[4];

    /** By code. An element is written once, before any location with it is published. */
    private final int[] lengths = new int[CODES];

    private int codes = 1;
    private int lastLength = -1;
    private int count;
    private @Nullable Open open;
    private boolean exhausted;
    private boolean closed;

    Slabs(ByteBudget budget, SlabMemory memory) {
        this.budget = budget;
        this.memory = memory;
        // a sixteenth of the budget, so that the last page of each and the empty pages of the file behind them do not
        // count
        this.slabBytes =
                (int) Math.max(SMALLEST, Math.min(LARGEST, Long.highestOneBit(Math.max(1, budget.total() / 16))));
    }

    /** The slab that is being filled. */
    private static final class Open {
        final ByteBuffer bytes;
        final int number;
        final boolean lazy;
        int position;

        Open(ByteBuffer bytes, int number, boolean lazy) {
            this.bytes = bytes;
            this.number = number;
            this.lazy = lazy;
        }

        int left() {
            return Math.min(bytes.capacity(), OWN) - position;
        }

        int lastPageLeft() {
            return lazy ? -position & PAGE - 1 : 0;
        }
    }

    /** Room for one value, which nobody else has. */
    record Room(ByteBuffer slab, int offset, long location) {

        void fill(ByteBuffer value) {
            int at = offset;
            if (hasHeader(location)) {
                int rest = value.remaining();
                for (; rest > 0x7F; rest >>>= 7) {
                    slab.put(at++, (byte) (rest | 0x80));
                }
                slab.put(at++, (byte) rest);
            }
            slab.put(at, value, value.position(), value.remaining());
        }
    }

    /** Room for a value of this length, paid for; {@code null} if the budget or the system does not allow it. */
    @Nullable Room reserve(int length) {
        lock.lock();
        try {
            if (closed || exhausted) {
                return null;
            }
            return length > slabBytes / 4 ? reserveOwn(length) : reserveShared(length, codeOf(length));
        } catch (OutOfMemoryError e) {
            exhausted = true;
            LOG.warn(
                    "the system gives the RAM cache no more memory, so it keeps what it has, {} of {} bytes: {}",
                    budget.used(),
                    budget.total(),
                    e.toString());
            return null;
        } finally {
            lock.unlock();
        }
    }

    private static boolean hasHeader(long location) {
        return location >>> OFFSET_BITS + NUMBER_BITS == 0 && (location & OWN) != OWN;
    }

    private int codeOf(int length) {
        for (int code = 1; code < codes; code++) {
            if (lengths[code] == length) {
                return code;
            }
        }
        if (length == lastLength && codes < CODES) {
            lengths[codes] = length;
            return codes++;
        }
        lastLength = length;
        return 0;
    }

    static int headerBytes(int length) {
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(length)) / 7);
    }

    private @Nullable Room reserveOwn(int length) {
        long cost = ((long) length + PAGE - 1) / PAGE * PAGE;
        if (!budget.take(cost)) {
            return null;
        }
        ByteBuffer bytes = memory.map(length);
        if (bytes == null) {
            bytes = allocateDirect(length, cost);
        }
        return new Room(bytes, 0, location(0, add(bytes), OWN));
    }

    private @Nullable Room reserveShared(int length, int code) {
        int bytes = code == 0 ? headerBytes(length) + length : length;
        Open slab = open;
        if (slab == null || slab.left() < bytes) {
            slab = openNext(bytes);
            if (slab == null) {
                return null;
            }
        } else if (slab.lazy && !budget.take(bytes)) {
            return null;
        }
        int offset = slab.position;
        slab.position += bytes;
        return new Room(slab.bytes, offset, location(code, slab.number, offset));
    }

    /** The next slab, with its first value paid for. */
    private @Nullable Open openNext(int firstBytes) {
        Open last = open;
        int cost = firstBytes + (last == null ? 0 : last.lastPageLeft());
        if (!budget.take(cost)) {
            return null;
        }
        ByteBuffer bytes = memory.map(slabBytes);
        boolean lazy = bytes != null;
        if (bytes == null) {
            budget.giveBack(cost);
            int size = (int) Math.max(firstBytes, Math.min(slabBytes, budget.free() / 2));
            if (!budget.take(size)) {
                return null;
            }
            bytes = allocateDirect(size, size);
        }
        Open next = new Open(bytes, add(bytes), lazy);
        open = next;
        return next;
    }

    private ByteBuffer allocateDirect(int bytes, long paid) {
        try {
            return ByteBuffer.allocateDirect(bytes);
        } catch (OutOfMemoryError e) {
            budget.giveBack(paid);
            throw e;
        }
    }

    private int add(ByteBuffer bytes) {
        int number = count + 1;
        if (number == MAX_COUNT) {
            throw new OutOfMemoryError("more than " + MAX_COUNT + " slabs");
        }
        if (number == slabs.length) {
            slabs = Arrays.copyOf(slabs, 2 * number);
        }
        slabs[number] = bytes.asReadOnlyBuffer();
        count = number;
        return number;
    }

    private static long location(int code, int number, int offset) {
        return ((long) code << NUMBER_BITS | number) << OFFSET_BITS | offset;
    }

    /** The value at a location that {@link #reserve} gave and {@link Room#fill} filled; {@code null} once it is gone. */
    @Nullable ByteBuffer view(long location) {
        @Nullable ByteBuffer[] all = slabs;
        int number = (int) (location >>> OFFSET_BITS) & MAX_COUNT - 1;
        ByteBuffer slab = number < all.length ? all[number] : null;
        if (slab == null) {
            return null;
        }
        int at = (int) location & OWN;
        if (at == OWN) {
            return slab.slice();
        }
        int code = (int) (location >>> OFFSET_BITS + NUMBER_BITS);
        if (code != 0) {
            return slab.slice(at, lengths[code]);
        }
        int next = slab.get(at++);
        int length = next & 0x7F;
        for (int shift = 7; next < 0; shift += 7) {
            next = slab.get(at++);
            length |= (next & 0x7F) << shift;
        }
        return slab.slice(at, length);
    }

    /** Forgets the slabs; each goes when its last view does. */
    void close() {
        lock.lock();
        try {
            closed = true;
            open = null;
            slabs = new ByteBuffer[1];
            memory.close();
        } finally {
            lock.unlock();
        }
    }
}
