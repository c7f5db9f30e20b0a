package io.penstock.cache.ram;

import io.penstock.cache.Entry;
import io.penstock.cache.ListedTier;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.internal.ByteBudget;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * RAM in the order of last use: a new value takes the place of the one that was not used for longest, which goes down
 * to the next slower tier. Exactly LRU, for values of any lengths.
 *
 * <p>A value in LRU order gives way singly, and its neighbours stay, so its room has to be used again at once.
 * {@link Slabs} cannot do that: its views lead into the memory, which is free only once the collector has found them
 * unreachable. So {@link #get} copies the value out, and the values lie in {@link Blocks}. A pin keeps the room of a
 * value that is being copied. The order costs 160 bytes of heap a value. The policy that holds is faster, and hits more.
 *
 * <p>Threads: any number of them. The order and the room change under a lock that is held for some steps in memory;
 * values are copied in and out beside it, but for one that goes down to the next tier.
 */
final class LruTier implements ListedTier {

    /** The value, its key, its place in the map and the array of its blocks, as JDK 17 lays them out, and some more. */
    private static final int VALUE_COST = 160;

    /** Of the budget, what may wait for a slower tier. */
    private static final int WAITING_PART = 32;

    private final Object lock = new Object();

    /** In the order of last use; guarded by the lock, as the room and the pins. */
    private final Map<SampleKey, Value> values = new LinkedHashMap<>(16, 0.75f, true);

    /** What has given way and is not yet in a slower tier, as far as the budget counts it. */
    private final ConcurrentMap<SampleKey, ByteBuffer> leaving = new ConcurrentHashMap<>();

    private final ByteBudget budget;
    private ByteBudget waiting = new ByteBudget(0); // a part of the budget, from the first put on that hands down
    private final Blocks blocks;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    private boolean closed;

    LruTier(long bytes, SlabMemory memory) {
        this.budget = new ByteBudget(bytes);
        this.blocks = new Blocks(bytes, memory);
    }

    private static final class Value {
        private final int length;
        private final int[] room;

        /** One of the tier's own, as long as it holds the value, and one of each copy that is being made. */
        private int pins = 1;

        Value(int length, int[] room) {
            this.length = length;
            this.room = room;
        }
    }

    /** What a put gets: room, or none since the key is held or refused; and what gave way. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Claim(int @Nullable [] room, boolean held, List<Put.Displaced> gone) {}

    private static long cost(int length) {
        return (long) Blocks.count(length) * Blocks.COST + VALUE_COST;
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
        Value value;
        synchronized (lock) {
            value = values.get(key);
            if (value != null) {
                value.pins++;
            }
        }
        if (value == null) {
            ByteBuffer onItsWay = leaving.get(key);
            (onItsWay == null ? misses : hits).increment();
            return Mono.justOrEmpty(onItsWay == null ? null : onItsWay.duplicate());
        }
        hits.increment();
        try {
            return Mono.just(copyOf(value));
        } finally {
            unpin(value);
        }
    }

    /** A copy of a value that is pinned, or under the lock. */
    private ByteBuffer copyOf(Value value) {
        byte[] copy = new byte[value.length];
        blocks.read(value.room, copy);
        return ByteBuffer.wrap(copy).asReadOnlyBuffer();
    }

    private void unpin(Value value) {
        synchronized (lock) {
            if (--value.pins == 0) {
                free(value.room, value.length);
            }
        }
    }

    private void free(int[] room, int length) {
        synchronized (lock) {
            blocks.giveBack(room);
            budget.giveBack(cost(length));
        }
    }

    @Override
    public Eviction eviction() {
        return Eviction.RETURNED;
    }

    /** What gave way can be had here until the put is settled, but for what is beyond a 32nd of the budget. */
    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        return Mono.fromCallable(() -> {
            Claim claim;
            synchronized (lock) {
                claim = claim(key, value.length(), about.handsDown());
            }
            boolean held = claim.room == null ? claim.held : write(key, value, claim.room);
            List<Put.Displaced> gone = claim.gone;
            return gone.isEmpty() ? Put.of(held) : new Put(held, gone, () -> gone.forEach(this::settle));
        });
    }

    private Claim claim(SampleKey key, int length, boolean returnsEvicted) {
        if (values.get(key) != null) {
            return new Claim(null, true, List.of());
        }
        List<Put.Displaced> gone = new ArrayList<>();
        long part = budget.total() / WAITING_PART;
        if (returnsEvicted && waiting.total() == 0 && budget.take(part)) {
            waiting = new ByteBudget(part);
        }
        boolean fits = !closed && cost(length) <= budget.total() - waiting.total();
        int[] room = fits ? reserve(length) : null;
        while (fits && room == null && !values.isEmpty()) {
            evictEldest(returnsEvicted, gone);
            room = reserve(length);
        }
        if (room == null) {
            refused.increment();
        }
        return new Claim(room, false, gone);
    }

    private void evictEldest(boolean returned, List<Put.Displaced> gone) {
        Iterator<Map.Entry<SampleKey, Value>> inOrder = values.entrySet().iterator();
        Map.Entry<SampleKey, Value> eldest = inOrder.next();
        if (returned) {
            Put.Displaced copy = new Put.Displaced(eldest.getKey(), copyOf(eldest.getValue()));
            if (waiting.take(cost(copy.value().capacity()))) {
                countBack(leaving.put(copy.key(), copy.value())); // before it is gone from the values
            }
            gone.add(copy);
        }
        inOrder.remove();
        evicted.increment();
        unpin(eldest.getValue());
    }

    private void settle(Put.Displaced gone) {
        synchronized (lock) {
            if (leaving.remove(gone.key(), gone.value())) {
                countBack(gone.value());
            }
        }
    }

    private void countBack(@Nullable ByteBuffer left) {
        if (left != null) {
            waiting.giveBack(cost(left.capacity()));
        }
    }

    private int @Nullable [] reserve(int length) {
        if (!budget.take(cost(length))) {
            return null;
        }
        int[] room = blocks.take(Blocks.count(length));
        if (room == null) {
            budget.giveBack(cost(length));
        }
        return room;
    }

    /** Writes into room that was claimed, and shows the value; another of the same key that came first stays. */
    private boolean write(SampleKey key, Encoded encoded, int[] room) {
        boolean shown = false;
        try {
            blocks.write(room, encoded);
            synchronized (lock) {
                shown = !closed && values.putIfAbsent(key, new Value(encoded.length(), room)) == null;
                return !closed;
            }
        } finally {
            if (!shown) {
                free(room, encoded.length());
            }
        }
    }

    @Override
    public boolean accepts(SampleKey key, Entry about) {
        synchronized (lock) {
            return !closed;
        }
    }

    @Override
    public void remove(SampleKey key) {
        synchronized (lock) {
            Value value = values.remove(key);
            countBack(leaving.remove(key));
            if (value != null) {
                unpin(value);
            }
        }
    }

    @Override
    public Flux<SampleKey> keys() {
        return Flux.defer(() -> {
            synchronized (lock) {
                return Flux.fromIterable(List.copyOf(values.keySet()));
            }
        });
    }

    @Override
    public TierStatistics statistics() {
        synchronized (lock) {
            return new TierStatistics(
                    values.size() + leaving.size(),
                    closed ? 0 : budget.used() - waiting.free(),
                    budget.total(),
                    hits.sum(),
                    misses.sum(),
                    refused.sum(),
                    evicted.sum(),
                    0);
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            values.clear();
            leaving.clear();
            blocks.close();
        }
    }

    @Override
    public String toString() {
        return "ram, " + budget.total() + " bytes, lru";
    }
}
