package io.penstock.cache;

import io.penstock.pipeline.Offer;
import io.penstock.pipeline.SampleKey;
import io.penstock.pipeline.Tier;
import io.penstock.pipeline.TierStatistics;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * RAM in the order of last use: what comes takes the place of what nobody asked for longest, which goes down to the next
 * slower tier. Exactly LRU, for values of any lengths.
 *
 * <p>A value in LRU order gives way singly, and its neighbours stay, so its room has to be used again at once. Views into
 * memory that is used again would lie, so {@link #get} copies the value out, while a pin keeps its room from being used
 * again; the copy is outside of the lock. The order is that of a {@link LinkedHashMap}, with 160 bytes of heap a value.
 * Whoever wants speed takes the policy that holds, which also hits more.
 */
final class LruTier implements Tier {

    /** The entry, its key, its value and the array of its blocks, as JDK 17 lays them out. */
    private static final int VALUE_COST = 160;

    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<SampleKey, Value> values = new LinkedHashMap<>(16, 0.75f, true);
    private final ByteBudget budget;
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

    /** Guarded by the lock, but for the room itself. */
    private static final class Value {
        final SampleKey key;
        final int length;
        final int[] room;
        int pins;
        boolean forgotten;

        Value(SampleKey key, int length, int[] room) {
            this.key = key;
            this.length = length;
            this.room = room;
        }
    }

    private record Evicted(SampleKey key, ByteBuffer bytes) {}

    private static long cost(int length) {
        return (long) Blocks.count(length) * Blocks.COST + VALUE_COST;
    }

    @Override
    public String name() {
        return "ram";
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        Value value = pin(key);
        if (value == null) {
            misses.increment();
            return Mono.empty();
        }
        hits.increment();
        return Mono.just(copyOf(value));
    }

    private @Nullable Value pin(SampleKey key) {
        lock.lock();
        try {
            Value value = values.get(key);
            if (value != null) {
                value.pins++;
            }
            return value;
        } finally {
            lock.unlock();
        }
    }

    /** Copies a pinned value and unpins it. */
    private ByteBuffer copyOf(Value value) {
        try {
            byte[] copy = new byte[value.length];
            blocks.read(value.room, copy);
            return ByteBuffer.wrap(copy).asReadOnlyBuffer();
        } finally {
            unpin(value);
        }
    }

    private void unpin(Value value) {
        lock.lock();
        try {
            value.pins--;
            freeIfForgotten(value);
        } finally {
            lock.unlock();
        }
    }

    private void freeIfForgotten(Value value) {
        if (value.forgotten && value.pins == 0) {
            free(value.room, value.length);
        }
    }

    private void free(int[] room, int length) {
        blocks.giveBack(room);
        budget.giveBack(cost(length));
    }

    @Override
    public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer) {
        return Mono.fromCallable(() -> keep(key, value, null));
    }

    @Override
    public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer, Tier slower) {
        return Mono.defer(() -> {
            List<Evicted> gone = new ArrayList<>();
            boolean held = keep(key, value, gone);
            Mono<Void> down = Flux.fromIterable(gone)
                    .concatMap(one -> slower.put(one.key, Encoded.of(one.bytes), new Offer(offer.epoch(), 0, false)))
                    .then();
            return held || offer.spare() ? down.thenReturn(held) : down.then(slower.put(key, value, offer));
        });
    }

    @Override
    public boolean handsDown() {
        return true;
    }

    private boolean keep(SampleKey key, Encoded value, @Nullable List<Evicted> gone) {
        int length = value.length();
        if (isHeld(key)) {
            return true;
        }
        int[] room = cost(length) > budget.total() ? null : reserve(length);
        while (room == null) {
            Value eldest = cost(length) > budget.total() ? null : evict();
            if (eldest == null) {
                refused.increment();
                return false;
            }
            if (gone == null) {
                unpin(eldest);
            } else {
                gone.add(new Evicted(eldest.key, copyOf(eldest)));
            }
            room = reserve(length);
        }
        blocks.write(room, value);
        return publish(new Value(key, length, room));
    }

    private boolean isHeld(SampleKey key) {
        lock.lock();
        try {
            return values.get(key) != null;
        } finally {
            lock.unlock();
        }
    }

    private int @Nullable [] reserve(int length) {
        lock.lock();
        try {
            if (closed || !budget.take(cost(length))) {
                return null;
            }
            int[] room = blocks.take(Blocks.count(length));
            if (room == null) {
                budget.giveBack(cost(length));
            }
            return room;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets the value that was not used for longest, and pins it; {@code null} if there is none. */
    private @Nullable Value evict() {
        lock.lock();
        try {
            Iterator<Value> inOrder = values.values().iterator();
            if (!inOrder.hasNext()) {
                return null;
            }
            Value eldest = inOrder.next();
            inOrder.remove();
            eldest.forgotten = true;
            eldest.pins++;
            evicted.increment();
            return eldest;
        } finally {
            lock.unlock();
        }
    }

    /** Shows a value; another of the same key that came first stays. */
    private boolean publish(Value value) {
        lock.lock();
        try {
            if (closed || values.putIfAbsent(value.key, value) != null) {
                free(value.room, value.length);
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean accepts(SampleKey key) {
        lock.lock();
        try {
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void remove(SampleKey key) {
        lock.lock();
        try {
            Value value = values.remove(key);
            if (value != null) {
                value.forgotten = true;
                freeIfForgotten(value);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<Flux<SampleKey>> keys() {
        return Optional.of(Flux.defer(() -> {
            lock.lock();
            try {
                return Flux.fromIterable(List.copyOf(values.keySet()));
            } finally {
                lock.unlock();
            }
        }));
    }

    @Override
    public TierStatistics statistics() {
        lock.lock();
        try {
            return new TierStatistics(
                    values.size(),
                    closed ? 0 : budget.used(),
                    budget.total(),
                    hits.sum(),
                    misses.sum(),
                    refused.sum(),
                    evicted.sum(),
                    0);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                values.clear();
                blocks.close();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "ram, " + budget.total() + " bytes, lru";
    }
}
