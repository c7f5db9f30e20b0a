package io.penstock.cache.ram;

import io.penstock.cache.Entry;
import io.penstock.cache.ListedTier;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.internal.ByteBudget;
import io.penstock.internal.DrainLoop;
import io.penstock.internal.Notice;
import io.penstock.internal.Thrown;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * RAM in the order of last use: a new value takes the place of the one that was not used for longest, which goes down
 * to the next slower tier. Exactly LRU, for values of any lengths.
 *
 * <p>A value in LRU order gives way singly, and its neighbours stay, so its room has to be used again at once. Views
 * into memory that is used again would lie, so {@link #get} copies the value out, while a {@linkplain LruValue#pin pin}
 * keeps its room from being used again. The order costs 160 bytes of heap a value. The policy that holds is faster, and
 * hits more.
 *
 * <p>Threads: workers call it, so nothing waits for a lock. Values are found in a concurrent map. Order and room change
 * {@linkplain #inTurn in turn}: a thread that finds another at it leaves its change to that one. A put that has to wait
 * for its room so goes on later, on a thread of {@link Schedulers#parallel}.
 */
final class LruTier implements ListedTier {

    /** The value, its key, its place in the map and the array of its blocks, as JDK 17 lays them out, and some more. */
    private static final int VALUE_COST = 160;

    private static final Logger LOG = LoggerFactory.getLogger(LruTier.class);

    private final ConcurrentMap<SampleKey, LruValue> values = new ConcurrentHashMap<>();

    /** What has given way and is not yet in a slower tier. */
    private final ConcurrentMap<SampleKey, ByteBuffer> leaving = new ConcurrentHashMap<>();

    private final ByteBudget budget;
    private final Queue<Runnable> changes = new ConcurrentLinkedQueue<>();
    private final DrainLoop loop = new DrainLoop();
    private final Blocks blocks; // changed in turn, as the next one
    private final LruOrder order = new LruOrder();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    private volatile boolean closed;

    LruTier(long bytes, SlabMemory memory) {
        this.budget = new ByteBudget(bytes);
        this.blocks = new Blocks(bytes, memory);
    }

    /** What a put gets: room, or none since the key is held or refused; and what gave way. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Claim(int @Nullable [] room, boolean held, List<Put.Displaced> gone) {}

    private static long cost(int length) {
        return (long) Blocks.count(length) * Blocks.COST + VALUE_COST;
    }

    /** Runs a change of the order or of the room: now, or after the one that another thread makes, on that thread. */
    private void inTurn(Runnable change) {
        changes.add(change);
        if (!loop.enter()) {
            return;
        }
        do {
            for (Runnable next = changes.poll(); next != null; next = changes.poll()) {
                try {
                    next.run();
                } catch (Throwable e) { // the changes of others wait for it
                    Notice.warn(LOG, "the RAM cache lost track of a value, whose room stays unused: {}", e.toString());
                }
            }
        } while (!loop.leave());
    }

    @Override
    public String name() {
        return "ram";
    }

    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return false;
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        LruValue value = values.get(key);
        if (value == null || !value.pin()) {
            ByteBuffer onItsWay = leaving.get(key);
            (onItsWay == null ? misses : hits).increment();
            return Mono.justOrEmpty(onItsWay == null ? null : onItsWay.duplicate());
        }
        hits.increment();
        inTurn(() -> order.touch(value));
        try {
            return Mono.just(copyOf(value));
        } finally {
            if (value.unpin()) {
                free(value);
            }
        }
    }

    /** A copy of a value whose room is not used by others meanwhile. */
    private ByteBuffer copyOf(LruValue value) {
        byte[] copy = new byte[value.length];
        blocks.read(value.room, copy);
        return ByteBuffer.wrap(copy).asReadOnlyBuffer();
    }

    private void forget(LruValue value) {
        if (value.forget()) {
            free(value);
        }
    }

    private void free(LruValue value) {
        free(value.room, value.length);
    }

    private void free(int[] room, int length) {
        inTurn(() -> {
            blocks.giveBack(room);
            budget.giveBack(cost(length));
        });
    }

    @Override
    public Eviction eviction() {
        return Eviction.RETURNED;
    }

    /** What gave way can be had here until the put is settled. It goes on when the caller cancels. */
    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        return Mono.defer(() -> Mono.fromFuture(keep(key, value, about.handsDown()), true));
    }

    private Put result(boolean held, List<Put.Displaced> gone) {
        return gone.isEmpty()
                ? Put.of(held)
                : new Put(held, gone, () -> gone.forEach(one -> leaving.remove(one.key(), one.value())));
    }

    private CompletableFuture<Put> keep(SampleKey key, Encoded value, boolean returnsEvicted) {
        int length = value.length();
        CompletableFuture<Claim> claim = new CompletableFuture<>();
        inTurn(() -> {
            try {
                claim.complete(claim(key, length, returnsEvicted));
            } catch (Throwable e) {
                claim.completeExceptionally(Thrown.signal(e));
            }
        });
        Function<Claim, Put> write = granted -> write(key, value, granted);
        return claim.isDone()
                ? claim.thenApply(write)
                : claim.thenApplyAsync(write, task -> Schedulers.parallel().schedule(task));
    }

    private Claim claim(SampleKey key, int length, boolean returnsEvicted) {
        LruValue held = values.get(key);
        if (held != null) {
            order.touch(held);
            return new Claim(null, true, List.of());
        }
        List<Put.Displaced> gone = new ArrayList<>();
        int[] room = cost(length) > budget.total() ? null : reserve(length);
        while (room == null) {
            LruValue eldest = cost(length) > budget.total() || closed ? null : order.removeEldest();
            if (eldest == null) {
                refused.increment();
                return new Claim(null, false, gone);
            }
            Put.Displaced copy = returnsEvicted ? new Put.Displaced(eldest.key, copyOf(eldest)) : null;
            if (copy != null) {
                leaving.put(copy.key(), copy.value()); // before it is gone from the values
            }
            if (!values.remove(eldest.key, eldest)) {
                leaving.remove(eldest.key);
            } else {
                evicted.increment();
                if (copy != null) {
                    gone.add(copy);
                }
                if (eldest.forget()) {
                    blocks.giveBack(eldest.room);
                    budget.giveBack(cost(eldest.length));
                }
            }
            room = reserve(length);
        }
        return new Claim(room, false, gone);
    }

    private int @Nullable [] reserve(int length) {
        if (closed || !budget.take(cost(length))) {
            return null;
        }
        int[] room = blocks.take(Blocks.count(length));
        if (room == null) {
            budget.giveBack(cost(length));
        }
        return room;
    }

    /** Writes into the room that was claimed, and shows the value; another of the same key that came first stays. */
    private Put write(SampleKey key, Encoded encoded, Claim claim) {
        int[] room = claim.room;
        if (room == null) {
            return result(claim.held, claim.gone);
        }
        int length = encoded.length();
        boolean shown = false;
        try {
            blocks.write(room, encoded);
            LruValue value = new LruValue(key, length, room);
            shown = values.putIfAbsent(key, value) == null;
            if (shown) {
                inTurn(() -> order.add(value));
                if (closed && values.remove(key, value)) {
                    forget(value);
                }
            }
        } finally {
            if (!shown) {
                free(room, length);
            }
        }
        return result(!closed, claim.gone);
    }

    @Override
    public boolean accepts(SampleKey key, Entry about) {
        return !closed;
    }

    @Override
    public void remove(SampleKey key) {
        LruValue value = values.remove(key);
        leaving.remove(key);
        if (value != null) {
            forget(value);
            inTurn(() -> order.remove(value));
        }
    }

    @Override
    public Flux<SampleKey> keys() {
        return Flux.defer(() -> Flux.fromIterable(List.copyOf(values.keySet())));
    }

    @Override
    public TierStatistics statistics() {
        return new TierStatistics(
                values.size(),
                closed ? 0 : budget.used(),
                budget.total(),
                hits.sum(),
                misses.sum(),
                refused.sum(),
                evicted.sum(),
                0);
    }

    @Override
    public void close() {
        closed = true;
        values.clear();
        leaving.clear();
        inTurn(() -> {
            order.clear();
            blocks.close();
        });
    }

    @Override
    public String toString() {
        return "ram, " + budget.total() + " bytes, lru";
    }
}
