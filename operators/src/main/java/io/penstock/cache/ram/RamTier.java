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
import io.penstock.internal.Reclaim;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
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

    private static final int REFUSALS_THAT_TELL = 100;

    private final ByteBudget budget;
    private final RamIndex index;
    private final Slabs slabs;
    private final Admission admission;
    private final Evictor evictor;
    private final AtomicLong samples = new AtomicLong();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final AtomicInteger refusedInARow = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();

    private volatile int shortest = Integer.MAX_VALUE; // length of the shortest value offered, give or take a race

    @SuppressWarnings("UnusedVariable") // written only: see getAll
    private int touched;

    RamTier(long bytes, SlabMemory memory) {
        this(bytes, memory, new Admission.FirstCome());
    }

    RamTier(long bytes, SlabMemory memory, Admission admission) {
        this.budget = new ByteBudget(Math.max(0, bytes - reserved(bytes)));
        this.index = new RamIndex(budget);
        this.admission = admission;
        this.slabs = new Slabs(budget, memory, admission.parts());
        this.evictor = new Evictor(slabs, index, samples);
    }

    /** What a tier of a size keeps for its index and for what is taken ahead of values. */
    static long reserved(long bytes) {
        return RamIndex.bytesWhenEmpty(1) + Slabs.ahead(bytes);
    }

    /**
     * A tier that holds at most this many bytes, all told.
     * @throws IllegalArgumentException if this machine or container has fewer, or they are too few for any sample
     */
    public static RamTier ofBytes(long bytes) {
        return new RamTier(of(CachePolicy.HOLD).maxBytes(bytes).bytes(), SlabMemory.ofSystem());
    }

    /** A tier with a policy, and a size that is still to be said. */
    public static RamOptions of(CachePolicy policy) {
        return new RamOptions(policy);
    }

    /**
     * Bytes of memory that a tier could be given now, those that {@link RamOptions#maxFreeShare} takes a share of;
     * empty where the
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
        ByteBuffer view = slabs.numbered.view(location);
        return view == null ? findMoved(key, location) : view;
    }

    /** A value may have been moved, and its slab dropped, since its location was read; usually it was given up. */
    private @Nullable ByteBuffer findMoved(SampleKey key, long before) {
        long location = index.find(key);
        return location == 0 || location == before ? null : slabs.numbered.view(location);
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
        RamSegment.Claim first = index.claim(key); // most need no room made, and no object for it
        if (first != RamSegment.Claim.REFUSED) {
            return first;
        }
        RamSegment.Claim claim = evictor.withRoom(length, givingWay, () -> {
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
            room = slabs.reserve(length, worth);
            if (room == null) {
                room = evictor.withRoom(length, givingWay, () -> slabs.reserve(length, worth));
            }
            if (room != null) {
                room.fill(value);
                copied = index.publish(key, room.location());
            }
        } catch (IOException e) {
            slabs.endEarly(Objects.requireNonNull(room).slab(), e);
        } finally {
            if (!copied) {
                index.release(key);
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
                evictor.evicted(),
                0);
    }

    /**
     * Forgets everything. Memory returns to the system when the collector has found its last view unreachable. The heap
     * does not show how much depends on it, so a large tier has the collector run a moment later.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            index.close();
            slabs.close();
            Reclaim.soonIfWorth(budget.used());
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
