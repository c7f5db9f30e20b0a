package io.penstock.cache.ram;

import io.penstock.cache.Entry;
import io.penstock.cache.Put;
import io.penstock.cache.RemovableTier;
import io.penstock.cache.SampleKey;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.internal.ByteBudget;
import io.penstock.cache.internal.FreeMemory;
import io.penstock.cache.internal.RamIndex;
import io.penstock.cache.internal.RamSegment;
import io.penstock.internal.Notice;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Bytes in the memory of this process, off the Java heap and outside of {@code -XX:MaxDirectMemorySize}. It fills and
 * holds: once full it refuses values and keeps what it has. In epochs that draw each sample once no policy hits more.
 *
 * <p>Copies of what a slower tier holds are taken while there is free room. They give way, the oldest first and many at
 * a time, to values that no tier holds.
 *
 * <p>Room of {@linkplain #remove removed} values is used again: a put may move their neighbours together for it.
 *
 * <p>The budget covers all that is kept: the values, up to 4 bytes a value for its length, at most 20 bytes a value of
 * index (on the heap), and what rounding to pages wastes. It is never exceeded; below 1 MiB, up to a page of 4 KiB more
 * may be resident, and while values give way the memory of up to 64 MiB of them, or a sixteenth of the budget if that
 * is more, until the collector has seen that they are unreachable. Memory is taken from the system as values come, not
 * at once. Values have any length up to 2 GiB.
 *
 * <p>Threads: all methods from any number of them. {@link #get} takes no lock and copies nothing; the buffer it gives
 * is a read-only view that stays valid while it is reachable, also after {@link #close}. {@link #put} copies on the
 * thread that subscribes, beside other puts.
 * <pre>{@code
 *  try (Cache cache = Cache.of(RamTier.ofBytes(8L << 30))) {
 *      dataset.cache(cache, schema).stream(...)
 *  }
 * }</pre>
 */
public final class RamTier implements RemovableTier {

    private static final Logger LOG = LoggerFactory.getLogger(RamTier.class);
    private static final long WORTH_COLLECTING = 64L << 20;
    private static final long SHORTEST_PAUSE = 50_000_000; // nanoseconds between two collections, as the next one
    private static final long LONGEST_PAUSE = 10_000_000_000L;
    private static final int REFUSALS_THAT_TELL = 100;

    private final ByteBudget budget;
    private final RamIndex index;
    private final Slabs slabs;
    private final Admission admission;
    private final ReentrantLock givingUp = new ReentrantLock();
    private final AtomicLong samples = new AtomicLong();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    private long collected = System.nanoTime() - LONGEST_PAUSE; // guarded by givingUp, as the next one
    private long collectingPause = SHORTEST_PAUSE;
    private final AtomicInteger refusedInARow = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();

    private volatile int shortest = Integer.MAX_VALUE; // length of the shortest value offered, give or take a race

    @SuppressWarnings("UnusedVariable") // written only: see getAll
    private int touched;

    RamTier(long bytes, SlabMemory memory) {
        this(bytes, memory, new Admission.FirstCome());
    }

    RamTier(long bytes, SlabMemory memory, Admission admission) {
        this.budget = new ByteBudget(Math.max(0, bytes - Slabs.reserved(bytes)));
        this.index = new RamIndex(budget);
        this.admission = admission;
        this.slabs = new Slabs(budget, memory, admission.parts());
    }

    /**
     * A tier of at most this many bytes, all told.
     * @throws IllegalArgumentException if this machine or container has fewer, or they are too few for any sample
     */
    public static RamTier ofBytes(long bytes) {
        return new RamTier(checked(bytes), SlabMemory.inTemporaryFile());
    }

    /** As {@link #ofBytes(long)}, with a policy by name. */
    public static RemovableTier ofBytes(long bytes, CachePolicy policy) {
        return policy.ram(checked(bytes));
    }

    private static long checked(long bytes) {
        if (bytes <= Slabs.reserved(bytes)) {
            throw new IllegalArgumentException("a RAM cache needs more than the %d bytes that its index takes, was %d"
                    .formatted(Slabs.reserved(bytes), bytes));
        }
        FreeMemory memory = FreeMemory.now();
        if (bytes > memory.total()) {
            throw new IllegalArgumentException(
                    "a RAM cache of %d bytes does not fit into this machine or container of %d bytes; give it less"
                            .formatted(bytes, memory.total()));
        }
        if (bytes > memory.free()) {
            Notice.warn(LOG, "a RAM cache of {} bytes is larger than what is free now, {} bytes", bytes, memory.free());
        }
        return bytes;
    }

    /**
     * A tier of at most this share of the memory that is free now: what neither anyone uses nor this JVM's heap may
     * still grow into. In a container its limit counts. Leave something: 0.8 is a good share for a process alone.
     * @throws IllegalArgumentException if the share is not in (0, 1], or nothing is free
     */
    public static RamTier ofFreeShare(double share) {
        return new RamTier(freeBytes(share), SlabMemory.inTemporaryFile());
    }

    /** As {@link #ofFreeShare(double)}, with a policy by name. */
    public static RemovableTier ofFreeShare(double share, CachePolicy policy) {
        return policy.ram(freeBytes(share));
    }

    private static long freeBytes(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("the share of free memory must be in (0, 1], was " + share);
        }
        return FreeMemory.share(share, FreeMemory.now().free(), FreeMemory.heapMayGrow());
    }

    /**
     * Bytes of memory that a tier could be given now, those that {@link #ofFreeShare} takes a share of; empty where the
     * system does not say.
     */
    public static OptionalLong freeBytes() {
        long free = FreeMemory.now().free();
        return free == Long.MAX_VALUE
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, free - FreeMemory.heapMayGrow()));
    }

    @Override
    public String name() {
        return "ram";
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        ByteBuffer view = find(key);
        if (view == null) {
            misses.increment();
            return Mono.empty();
        }
        hits.increment();
        return Mono.just(view);
    }

    /**
     * Finds several values side by side. Each lies somewhere in gigabytes, and the first look at it, as at its index
     * entry, waits for memory longer than all the rest takes; here those waits overlap.
     */
    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        int seen = index.touch(keys);
        int held = 0;
        for (int i = 0; i < keys.length; i++) {
            ByteBuffer view = find(keys[i]);
            if (view != null) {
                found[i] = view;
                held++;
            }
        }
        hits.add(held); // first: counting is a barrier, which would wait for what is touched
        if (held < keys.length) {
            misses.add(keys.length - held);
        }
        for (ByteBuffer view : found) {
            if (view != null) {
                seen += Places.touch(view);
            }
        }
        touched = seen; // or the compiler would leave the reads out
        return true;
    }

    private @Nullable ByteBuffer find(SampleKey key) {
        long location = index.find(key);
        if (location == 0) {
            return null;
        }
        ByteBuffer view = slabs.view(location);
        return view == null ? findMoved(key, location) : view;
    }

    /** A value may have been moved, and its slab dropped, since its location was read; usually it was given up. */
    private @Nullable ByteBuffer findMoved(SampleKey key, long before) {
        long location = index.find(key);
        return location == 0 || location == before ? null : slabs.view(location);
    }

    @Override
    public Eviction eviction() {
        return Eviction.NONE;
    }

    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        return Mono.fromCallable(() -> Put.of(keep(key, value, about)));
    }

    private boolean keep(SampleKey key, Encoded value, Entry about) {
        int length = value.length();
        if (length < shortest) {
            shortest = length;
        }
        index.expect(length);
        int worth = admission.worth(about, length);
        int givingWay = admission.givingWayTo(worth);
        // asked first, so that a full tier refuses without a lock
        int seen = slabs.live.changes();
        boolean full = !slabs.live.givesRoom(givingWay) && length > budget.free() && slabs.live.changes() == seen;
        boolean held = full
                ? index.find(key) != 0
                : switch (claim(key, length, givingWay)) {
                    case HELD -> true;
                    case GRANTED -> copy(key, value, worth, givingWay);
                    case REFUSED -> false;
                };
        if (!held && !about.spare()) {
            refused.increment();
            refusedInARow.incrementAndGet();
        }
        return held;
    }

    private RamSegment.Claim claim(SampleKey key, int length, int givingWay) {
        RamSegment.Claim claim = withRoom(length, givingWay, () -> {
            RamSegment.Claim now = index.claim(key);
            return now == RamSegment.Claim.REFUSED ? null : now;
        });
        return claim == null ? RamSegment.Claim.REFUSED : claim;
    }

    private boolean copy(SampleKey key, Encoded value, int worth, int givingWay) {
        boolean copied = false;
        @Nullable Room room = null;
        try {
            int length = value.length();
            room = withRoom(length, givingWay, () -> slabs.reserve(length, worth));
            if (room != null) {
                room.fill(value);
                copied = index.publish(key, room.location());
            }
        } finally {
            if (!copied) {
                index.remove(key);
            }
            if (room != null) {
                slabs.finish(room, copied);
            }
        }
        if (copied) {
            samples.incrementAndGet();
            refusedInARow.set(0);
        }
        return copied;
    }

    /** What an attempt gives, {@code null} for want of room: then what is worth less gives way, if it may. */
    private <R> @Nullable R withRoom(int length, int givingWay, Supplier<@Nullable R> attempt) {
        int seen = slabs.live.changes();
        boolean full = !slabs.live.givesRoom(givingWay);
        R first = attempt.get();
        if (first != null || full && slabs.live.changes() == seen) {
            return first;
        }
        givingUp.lock();
        try {
            R next = attempt.get();
            while (next == null && (Compaction.next(slabs, index) || giveUp(length, givingWay) || collect())) {
                next = attempt.get();
            }
            return next;
        } finally {
            collect();
            givingUp.unlock();
        }
    }

    /** First the keys, then the slab: a reader who found a key before finds either the value or, later, nothing. */
    private boolean giveUp(int length, int givingWay) {
        Slab slab = slabs.giveUp(givingWay, length);
        if (slab == null) {
            return false;
        }
        int forgotten = index.removeIf(location -> Places.number(location) == slab.number);
        samples.addAndGet(-forgotten);
        evicted.add(forgotten);
        slabs.gaveUp(slab);
        return true;
    }

    /**
     * Has the collector look for memory that left; ever less often while views of it are held, since it looks at all.
     * Whether more may be given up now.
     */
    private boolean collect() {
        if (!slabs.waitsForCollector()) {
            collectingPause = SHORTEST_PAUSE;
            return false;
        }
        long left = collected + collectingPause - System.nanoTime();
        if (left > 0 && collectingPause > SHORTEST_PAUSE) {
            return false;
        }
        if (slabs.awaitCollector(left)) {
            return true;
        }
        System.gc();
        collected = System.nanoTime();
        collectingPause = Math.min(LONGEST_PAUSE, 2 * collectingPause);
        return slabs.awaitCollector(SHORTEST_PAUSE);
    }

    @Override
    public void remove(SampleKey key) {
        long location = index.take(key);
        if (location != 0) {
            samples.decrementAndGet();
            slabs.release(location);
        }
    }

    /**
     * {@code false} once nothing would give way, and either the shortest value so far would not fit, or little is left
     * and nothing has fitted for long. A spare copy takes free room only.
     */
    @Override
    public boolean accepts(SampleKey key, Entry about) {
        int seen = slabs.live.changes();
        boolean givesWay = !about.spare() && slabs.live.leastWorth() < admission.givingWay();
        return !closed.get() && (givesWay || hasRoom() || !about.spare() && slabs.live.changes() != seen);
    }

    private boolean hasRoom() {
        long free = budget.free() + slabs.live.reclaimable();
        return (shortest == Integer.MAX_VALUE ? free > 0 : (long) shortest + Places.headerBytes(shortest) <= free)
                && (free > budget.total() / 32 || refusedInARow.get() < REFUSALS_THAT_TELL);
    }

    /** The capacity is what is left of the budget for values and what grows with their number. */
    @Override
    public TierStatistics statistics() {
        boolean gone = closed.get();
        return new TierStatistics(
                gone ? 0 : Math.max(0, samples.get()),
                gone ? 0 : budget.used(),
                budget.total(),
                hits.sum(),
                misses.sum(),
                refused.sum(),
                evicted.sum(),
                0);
    }

    /**
     * Forgets everything. Memory returns to the system when the collector has found its last view unreachable. The heap
     * does not show how much depends on it, so a large tier calls {@code System.gc()} here.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            index.close();
            slabs.close();
            if (budget.used() >= WORTH_COLLECTING) {
                System.gc();
            }
        }
    }

    /** What the index takes now, in bytes. */
    long indexBytes() {
        return index.bytes();
    }

    @Override
    public String toString() {
        return "ram, " + budget.total() + " bytes";
    }
}
