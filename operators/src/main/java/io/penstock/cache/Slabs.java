package io.penstock.cache;

import io.penstock.tensor.Encoded;
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
 * <p>Values lie together with others of the same worth ({@link Admission}), so that those of little worth can be given up
 * without copying the others: a slab at a time, the one of least worth first, and of those the oldest.
 *
 * <p>Room is handed out under a lock that is held for a few instructions; the copy happens outside of it, and a slab that
 * is being copied into is not given up. Views keep their slab reachable, so nothing is ever unmapped under a reader. That
 * also means that the memory of a dropped slab is back only when the collector has noticed. So no more is given up while
 * more than a sixteenth of the budget, or 64 MiB if that is more, is still on its way ({@link Leaving}).
 *
 * <p>Accounting: a mapped slab costs what was handed out of it, and the rest of its last page once the next one is begun.
 * The budget's owner keeps one page back for the open one; where slabs of several worths are open, the others pay theirs
 * in advance. A direct slab costs all of itself at once, and takes at most half of what is left, so that the index can
 * always grow.
 */
final class Slabs {

    static final int OFFSET_BITS = 26;
    static final int PAGE = 4096;
    static final int OWN = (1 << OFFSET_BITS) - 1;

    private static final Logger LOG = LoggerFactory.getLogger(Slabs.class);
    private static final int LARGEST = 1 << OFFSET_BITS;
    private static final int SMALLEST = 4 << 20;
    private static final int SMALLEST_OF_MANY = 256 << 10;
    private static final int NUMBER_BITS = 20;
    private static final int MAX_COUNT = 1 << NUMBER_BITS;
    private static final int FEW_PARTS = 16;
    private static final long WORTH_COLLECTING = 64L << 20;
    private static final int CODES = 1 << 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final ByteBudget budget;
    private final SlabMemory memory;
    private final int slabBytes;
    private final int directBytes;
    private final long mayBeLeaving;
    private final Leaving leaving = new Leaving();

    private final LiveSlabs live = new LiveSlabs();

    /** By worth, the slab that is being filled. */
    private final @Nullable Slab[] open = new Slab[Admission.WORTHS];

    private int opened;

    /** By number, as {@link #slabs}. */
    private @Nullable Slab[] records = new Slab[4];

    /** By number, read-only. Grows by replacement; an element is written before any location in it is published. */
    private volatile @Nullable ByteBuffer[] slabs = new ByteBuffer[4];

    /** By code. An element is written once, before any location with it is published. */
    private final int[] lengths = new int[CODES];

    private int codes = 1;
    private int lastLength = -1;
    private int count;
    private boolean exhausted;
    private boolean closed;

    /** @param parts of the budget that a slab is one of: so much at most is given up at a time */
    Slabs(ByteBudget budget, SlabMemory memory, int parts) {
        this.budget = budget;
        this.memory = memory;
        // a small part of the budget, so that the last page of each and the empty pages of the file behind them do not
        // count
        int smallest = parts > FEW_PARTS ? SMALLEST_OF_MANY : SMALLEST;
        this.slabBytes =
                (int) Math.max(smallest, Math.min(LARGEST, Long.highestOneBit(Math.max(1, budget.total() / parts))));
        this.directBytes = parts > FEW_PARTS ? (int) Math.min(slabBytes, budget.total() / (4L * parts)) : slabBytes;
        this.mayBeLeaving = Math.max(WORTH_COLLECTING, budget.total() / FEW_PARTS);
    }

    /** Room for one value, which nobody else has. */
    record Room(Slab slab, int offset, long location) {

        void fill(Encoded value) {
            ByteBuffer bytes = slab.bytes;
            int at = offset;
            if (hasHeader(location)) {
                int rest = value.length();
                for (; rest > 0x7F; rest >>>= 7) {
                    bytes.put(at++, (byte) (rest | 0x80));
                }
                bytes.put(at++, (byte) rest);
            }
            value.copyTo(bytes, at);
        }
    }

    /**
     * Room for a value of this length and worth, paid for; {@code null} if the budget or the system does not allow it.
     * Whoever gets it calls {@link #finish}.
     */
    @Nullable Room reserve(int length, int worth) {
        lock.lock();
        try {
            if (closed || exhausted) {
                return null;
            }
            Room room =
                    length > slabBytes / 4 ? reserveOwn(length, worth) : reserveShared(length, codeOf(length), worth);
            if (room != null) {
                room.slab.filling++;
            }
            return room;
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

    private @Nullable Room reserveOwn(int length, int worth) {
        long cost = ((long) length + PAGE - 1) / PAGE * PAGE;
        if (!budget.take(cost)) {
            return null;
        }
        ByteBuffer mapped = memory.map(length);
        ByteBuffer bytes = mapped == null ? allocateDirect(length, cost) : mapped;
        Slab slab = add(bytes, worth, mapped != null, cost);
        slab.position = length;
        return new Room(slab, 0, location(0, slab.number, OWN));
    }

    private @Nullable Room reserveShared(int length, int code, int worth) {
        int bytes = code == 0 ? headerBytes(length) + length : length;
        Slab slab = open[worth];
        if (slab == null || slab.left() < bytes) {
            slab = openNext(bytes, worth);
            if (slab == null) {
                return null;
            }
        } else if (slab.lazy) {
            if (!budget.take(bytes)) {
                return null;
            }
            slab.paid += bytes;
        }
        int offset = slab.position;
        slab.position += bytes;
        return new Room(slab, offset, location(code, slab.number, offset));
    }

    /** The next slab of a worth, with its first value paid for. */
    private @Nullable Slab openNext(int firstBytes, int worth) {
        Slab last = open[worth];
        int lastPage = last == null ? 0 : last.lastPageLeft();
        int pageInAdvance = last == null && opened > 0 ? PAGE : 0;
        int cost = firstBytes + lastPage + pageInAdvance;
        if (!budget.take(cost)) {
            return null;
        }
        ByteBuffer mapped = memory.map(slabBytes);
        Slab next;
        if (mapped != null) {
            next = add(mapped, worth, true, firstBytes + (long) pageInAdvance);
            next.advance = pageInAdvance;
            if (last != null) {
                last.paid += lastPage - last.advance;
                next.paid += last.advance;
                next.advance = last.advance;
            }
        } else {
            budget.giveBack(cost);
            int size = (int) Math.max(firstBytes, Math.min(directBytes, budget.free() / 2));
            if (!budget.take(size)) {
                return null;
            }
            next = add(allocateDirect(size, size), worth, false, size);
        }
        opened += last == null ? 1 : 0;
        open[worth] = next;
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

    private Slab add(ByteBuffer bytes, int worth, boolean lazy, long paid) {
        int number = count + 1;
        if (number == MAX_COUNT) {
            budget.giveBack(paid);
            throw new OutOfMemoryError("more than " + MAX_COUNT + " slabs");
        }
        if (number == slabs.length) {
            slabs = Arrays.copyOf(slabs, 2 * number);
            records = Arrays.copyOf(records, 2 * number);
        }
        Slab slab = new Slab(bytes, number, worth, lazy);
        slab.paid = paid;
        slabs[number] = bytes.asReadOnlyBuffer();
        records[number] = slab;
        count = number;
        live.add(slab);
        return slab;
    }

    /** Ends what {@link #reserve} began. */
    void finish(Room room, boolean published) {
        lock.lock();
        try {
            Slab slab = room.slab;
            slab.filling--;
            slab.alive += published ? 1 : 0;
            dropIfDead(slab);
        } finally {
            lock.unlock();
        }
    }

    /** No key leads to the value at this location any more. */
    void release(long location) {
        lock.lock();
        try {
            Slab slab = closed ? null : records[number(location)];
            if (slab != null) {
                slab.alive--;
                dropIfDead(slab);
            }
        } finally {
            lock.unlock();
        }
    }

    private void dropIfDead(Slab slab) {
        if (slab.alive == 0 && slab.filling == 0 && !closed) {
            retire(slab);
            drop(slab);
        }
    }

    /** The least worth of a value held, or {@link Admission#WORTHS} if none is; no lock. */
    int leastWorth() {
        return live.leastWorth();
    }

    /**
     * Chooses the next slab to give up, of less worth than this; {@code null} if there is none, if all of them are not
     * enough for a value of this length, or while too much memory is leaving. The caller makes the index forget it, then
     * calls {@link #drop}.
     */
    @Nullable Slab giveUp(int below, int length) {
        lock.lock();
        try {
            if (closed || exhausted || leaving.bytes() > mayBeLeaving) {
                return null;
            }
            Slab chosen = live.first(below, budget.free(), length);
            if (chosen == null) {
                return null;
            }
            retire(chosen);
            return chosen;
        } finally {
            lock.unlock();
        }
    }

    /** From now on nothing is put into it, and nobody else gives it up. */
    private void retire(Slab slab) {
        live.remove(slab);
        if (open[slab.worth] == slab) {
            open[slab.worth] = null;
            opened--;
        }
    }

    /** Drops a slab that no key leads to; its memory goes with its last view. */
    void drop(Slab slab) {
        lock.lock();
        try {
            if (!slab.dropped && !closed) {
                slab.dropped = true;
                slabs[slab.number] = null;
                records[slab.number] = null;
                leaving.add(slab.bytes, slab.paid);
                budget.giveBack(slab.paid);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether so much memory is leaving that nothing more is given up until the collector has looked. */
    boolean waitsForCollector() {
        lock.lock();
        try {
            return leaving.bytes() > mayBeLeaving;
        } finally {
            lock.unlock();
        }
    }

    /** The slab a location lies in. */
    static int number(long location) {
        return (int) (location >>> OFFSET_BITS) & MAX_COUNT - 1;
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
            Arrays.fill(open, null);
            live.clear();
            records = new Slab[1];
            slabs = new ByteBuffer[1];
            memory.close();
        } finally {
            lock.unlock();
        }
    }
}
