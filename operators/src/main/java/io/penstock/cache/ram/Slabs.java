package io.penstock.cache.ram;

import io.penstock.cache.internal.ByteBudget;
import io.penstock.cache.internal.LengthCodes;
import io.penstock.internal.Notice;
import io.penstock.internal.Reclaim;
import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the values lie: large pieces of memory filled from front to back.
 *
 * <p>Samples of one size have no headers ({@link Places}), keep their alignment, and {@link NumberedSlabs#view} does not
 * touch them. So it does not wait for a miss of the processor's caches, which the copy of the value pays anyway: finding
 * one of 10^6 samples of 1 KiB took 600 ns with headers and takes 200 without. A value of more than a quarter of a slab has
 * a slab of its own. Numbers are never used twice, so a location outlives its slab harmlessly: once a slab is dropped, its
 * index entries first and then its reference here, late readers' locations are misses.
 *
 * <p>Values lie together with others of the same worth ({@link Admission}), so that those of little worth can be given
 * up without copying the others: a slab at a time, the one of least worth first, and of those the oldest.
 *
 * <p>Room is handed out under a lock that is held for a few instructions; the copy happens outside of it, and a slab
 * that is being copied into is not given up. Views keep their slab reachable, so nothing is ever unmapped under a
 * reader. That also means that the memory of a dropped slab is back only when the collector has noticed. So no more is
 * given up while more than a sixteenth of the budget, or 64 MiB if that is more, is still on its way ({@link Reclaim}).
 *
 * <p>Accounting: a mapped slab costs what was handed out of it, and the rest of what was taken {@linkplain #ahead} of
 * that once the next one is begun. The budget's owner keeps this back for the open one; where slabs of several worths
 * are open, the others pay theirs in advance. A direct slab costs all of itself at once, and takes at most half of what
 * is left, so that the index can always grow.
 */
final class Slabs {

    static final int PAGE = 4096;
    private static final int MOST_AHEAD = 64 << 10;
    private static final long LITTLE = 64L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Slabs.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final ByteBudget budget;
    private final SlabMemory memory;
    private final int slabBytes;
    private final int directBytes;
    private final int ahead;
    private final Reclaim leaving = new Reclaim(back -> {});
    private final long maxLeaving;

    /** What may be asked of it without a lock is for callers. */
    final LiveSlabs live = new LiveSlabs();

    /** By worth, the slab that is being filled. */
    private final @Nullable Slab[] open = new Slab[Admission.WORTHS];

    private int opened;

    private final LengthCodes lengths = new LengthCodes();
    private final Places places = new Places(lengths);

    final NumberedSlabs numbered = new NumberedSlabs(places);

    private final Condition filled = lock.newCondition();

    private boolean exhausted;
    private boolean closed;

    /** @param parts of the budget that a slab is one of: so much at most is given up at a time */
    Slabs(ByteBudget budget, SlabMemory memory, int parts) {
        this.budget = budget;
        this.memory = memory;
        this.slabBytes = Slab.bytes(budget.total(), parts);
        this.directBytes =
                parts > Slab.FEW_PARTS ? (int) Math.min(slabBytes, budget.total() / (4L * parts)) : slabBytes;
        this.ahead = parts > Slab.FEW_PARTS ? PAGE : Math.max(PAGE, Integer.highestOneBit(ahead(budget.total())));
        this.maxLeaving = Math.max(LITTLE, budget.total() / Slab.FEW_PARTS);
    }

    /** How much memory may be taken ahead of the values, for a budget. */
    static int ahead(long bytes) {
        return (int) Math.min(MOST_AHEAD, bytes >>> 8);
    }

    /**
     * Room for a value of this length and worth, paid for; {@code null} if the budget or the system does not allow it.
     * The caller that gets it calls {@link #finish}.
     */
    @Nullable Room reserve(int length, int worth) {
        lock.lock();
        try {
            if (closed || exhausted) {
                return null;
            }
            Room room = length > slabBytes / 4
                    ? reserveOwn(length, worth)
                    : reserveShared(length, lengths.of(length), worth);
            if (room != null) {
                room.slab().filling++;
            }
            return room;
        } catch (OutOfMemoryError e) {
            exhausted = true;
            Notice.warn(
                    LOG,
                    "the system gives the RAM cache no more memory, so it keeps what it has, {} of {} bytes: {}",
                    budget.used(),
                    budget.total(),
                    e.toString());
            return null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Room reserveOwn(int length, int worth) {
        long cost = ((long) length + PAGE - 1) / PAGE * PAGE;
        if (!budget.take(cost)) {
            return null;
        }
        SlabMemory.Piece mapped = memory.take(length, ahead);
        Slab slab = add(mapped == null ? allocateDirect(length, cost) : mapped, worth, mapped != null, cost);
        slab.position = length;
        return new Room(slab, Places.of(0, slab.number, Places.OWN), length);
    }

    private @Nullable Room reserveShared(int length, int code, int worth) {
        int bytes = Places.storedBytes(code, length);
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
        return new Room(slab, Places.of(code, slab.number, slab.handOut(bytes, ahead)), bytes);
    }

    /** The next slab of a worth, with its first value paid for. */
    private @Nullable Slab openNext(int firstBytes, int worth) {
        Slab last = open[worth];
        int leftAhead = last == null ? 0 : last.leftAhead();
        int inAdvance = last == null && opened > 0 ? ahead : 0;
        int cost = firstBytes + leftAhead + inAdvance;
        if (!budget.take(cost)) {
            return null;
        }
        SlabMemory.Piece mapped = memory.take(slabBytes, ahead);
        Slab next;
        if (mapped != null) {
            next = add(mapped, worth, true, firstBytes + (long) inAdvance);
            next.advance = inAdvance;
            if (last != null) {
                last.paid += leftAhead - last.advance;
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
        sealIfDone(last);
        return next;
    }

    private SlabMemory.Piece allocateDirect(int bytes, long paid) {
        try {
            return SlabMemory.direct(bytes);
        } catch (OutOfMemoryError e) {
            budget.giveBack(paid);
            throw e;
        }
    }

    private Slab add(SlabMemory.Piece piece, int worth, boolean lazy, long paid) {
        Slab slab = numbered.add(piece, worth, lazy);
        if (slab == null) {
            budget.giveBack(paid);
            throw new OutOfMemoryError("more than " + Places.MAX_COUNT + " slabs");
        }
        slab.paid = paid;
        live.add(slab);
        return slab;
    }

    /** Ends what {@link #reserve} began. */
    void finish(Room room, boolean published) {
        lock.lock();
        try {
            Slab slab = room.slab();
            slab.filling--;
            if (published) {
                slab.alive++;
            } else {
                live.died(slab, room.bytes());
            }
            dropIfDead(slab);
            sealIfDone(slab);
            filled.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Writing ends with the last value that is being copied into a slab from which no more room is handed out. */
    private void sealIfDone(@Nullable Slab slab) {
        if (slab != null && slab.filling == 0 && open[slab.worth] != slab) {
            slab.seal();
            if (!closed && !slab.dropped) {
                slab.mapAhead();
            }
        }
    }

    /** The system has no memory for the rest of this slab: later values go into others. */
    void endEarly(Slab slab, IOException cause) {
        lock.lock();
        try {
            memory.withoutFiles(cause);
            endRoom(slab);
        } finally {
            lock.unlock();
        }
    }

    private void endRoom(Slab slab) {
        if (open[slab.worth] == slab) {
            open[slab.worth] = null;
            opened--;
        }
    }

    /** No key leads to the value at this location any more. */
    void release(long location) {
        lock.lock();
        try {
            Slab slab = closed ? null : numbered.slab(location);
            if (slab != null) {
                slab.alive--;
                live.died(
                        slab,
                        Places.offset(location) == Places.OWN
                                ? slab.position
                                : places.storedBytesAt(slab.bytes, location));
                dropIfDead(slab);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins to move the values out of the slab with the largest number of dead bytes; {@code null} if there is none
     * worth it, or too much memory is leaving. The caller then calls {@link #compacted}.
     */
    @Nullable Compaction compactNext() {
        lock.lock();
        try {
            Slab chosen = closed || exhausted || leaving.bytes() > maxLeaving ? null : live.deadest();
            if (chosen == null) {
                return null;
            }
            int alive = chosen.position - chosen.dead;
            long cost = ((long) alive + PAGE - 1) / PAGE * PAGE;
            if (cost >= chosen.paid) {
                live.forgetDead(chosen);
                return null;
            }
            SlabMemory.Piece mapped = memory.map(alive);
            Slab target = add(mapped == null ? SlabMemory.direct(alive) : mapped, chosen.worth, mapped != null, cost);
            target.position = target.bytes.capacity();
            target.filling++;
            chosen.filling++; // neither is dropped meanwhile
            chosen.paid -= cost;
            chosen.movedCost = cost;
            live.makeRoom(Admission.SPARE);
            retire(chosen);
            return new Compaction(this, places, chosen, target);
        } catch (OutOfMemoryError e) {
            LOG.debug("no memory to compact the RAM cache with", e);
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** All keys of the old slab lead to the new one. */
    void compacted(Slab from, Slab to, int moved, int written) {
        lock.lock();
        try {
            from.filling--;
            to.filling--;
            to.alive += moved;
            live.died(to, to.position - written);
            drop(from);
            dropIfDead(to);
            live.madeRoom();
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

    /**
     * Chooses the next slab to give up, of less worth than this; {@code null} if there is none, if all of them are not
     * enough for a value of this length, or while too much memory is leaving. Waits for values that are being copied
     * into one. The caller makes the index forget it, then calls {@link #gaveUp}.
     */
    @Nullable Slab giveUp(int below, int length) {
        lock.lock();
        try {
            if (closed || exhausted || leaving.bytes() > maxLeaving) {
                return null;
            }
            Slab chosen = live.first(below, budget.free(), length);
            while (chosen == null && live.isFilling(below)) {
                filled.awaitUninterruptibly();
                chosen = live.first(below, budget.free(), length);
            }
            if (chosen != null) {
                live.makeRoom(chosen.worth);
                retire(chosen);
            }
            return chosen;
        } finally {
            lock.unlock();
        }
    }

    /** From now on nothing is put into it, and it is not given up again. */
    private void retire(Slab slab) {
        live.remove(slab);
        endRoom(slab);
    }

    /** Ends what {@link #giveUp} began. */
    void gaveUp(Slab slab) {
        lock.lock();
        try {
            drop(slab);
            live.madeRoom();
        } finally {
            lock.unlock();
        }
    }

    /** Drops a slab that no key leads to; its memory goes with its last view. */
    private void drop(Slab slab) {
        if (!slab.dropped && !closed) {
            slab.dropped = true;
            slab.seal();
            numbered.remove(slab);
            leaving.add(slab.bytes, slab.paid + slab.movedCost);
            budget.giveBack(slab.paid);
        }
    }

    /** If so much memory is leaving that nothing more is given up, has the collector look; whether more may be now. */
    boolean collect() {
        return leaving.collect(maxLeaving);
    }

    /** Forgets the slabs; each goes when its last view does. */
    void close() {
        lock.lock();
        try {
            closed = true;
            for (int worth = 0; worth < open.length; worth++) {
                Slab last = open[worth];
                open[worth] = null;
                sealIfDone(last);
            }
            live.clear();
            numbered.clear();
            memory.close();
            filled.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
