package io.penstock.cache.redis;

import io.lettuce.core.protocol.AsyncCommand;
import io.penstock.cache.SampleKey;
import io.penstock.cache.internal.WriteBehind;
import io.penstock.internal.Digests;
import io.penstock.internal.GuardedScheduler;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Sends puts in batches. What comes while some batches are on their way makes the next one. So a batch is as large as
 * the server is slow, and none waits for a clock. The bytes on their way and the bytes that wait are bounded.
 */
final class Writes {

    /** Of what the servers may hold, what may wait here. */
    private static final int WAITING_PART = 32;

    private static final int BATCH_BYTES = 1 << 20;
    private static final int BATCH_VALUES = 256;
    private static final int ON_THEIR_WAY = 4;
    private static final long FIRST_REST = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_REST = TimeUnit.SECONDS.toNanos(30);

    private final Endpoint endpoint;
    private final KeySpace keys;
    private final Commands commands;
    private final Counts counts;
    private final Usage usage;
    private final long maxWaiting;

    private final WriteBehind<PendingPut> queue;
    private final AtomicInteger batches = new AtomicInteger();
    private volatile long rest;
    private volatile long fullUntil;

    Writes(Endpoint endpoint, KeySpace keys, Commands commands, Counts counts, Usage usage, long maxWaiting) {
        this.endpoint = endpoint;
        this.keys = keys;
        this.commands = commands;
        this.counts = counts;
        this.usage = usage;
        this.maxWaiting = maxWaiting;
        this.queue = new WriteBehind<>(endpoint::execute, this::sendAll);
    }

    @Nullable ByteBuffer find(SampleKey key) {
        return queue.find(key);
    }

    /** Whether the server has lately said that it has no room. After a rest it is asked again. */
    boolean isFull() {
        return rest != 0 && System.nanoTime() - fullUntil < 0;
    }

    Mono<Boolean> put(SampleKey key, ByteBuffer value) {
        PendingPut put = new PendingPut(key, keys.sample(key), value);
        if (!endpoint.isUp(put.name()) || isFull()) {
            counts.refused.increment();
            return Mono.just(false);
        }
        if (!queue.enter(put)) {
            return Mono.just(true);
        }
        long waiting = queue.enqueue(put);
        queue.work();
        return waiting <= Math.min(maxWaiting, usage.capacity() / WAITING_PART)
                ? Mono.just(true)
                : Mono.fromCompletionStage(put.held()).publishOn(GuardedScheduler.PARALLEL);
    }

    private void sendAll() {
        while (batches.get() < ON_THEIR_WAY && !queue.isEmpty()) {
            send();
        }
    }

    private void send() {
        List<AsyncCommand<byte[], Frame, String>> batch = new ArrayList<>();
        List<PendingPut> puts = new ArrayList<>();
        long bytes = 0;
        while (bytes < BATCH_BYTES && puts.size() < BATCH_VALUES) {
            PendingPut put = queue.poll();
            if (put == null) {
                break;
            }
            bytes += put.bytes();
            puts.add(put);
            batch.add(commands.setIfAbsent(put.name(), put.sealed()));
        }
        if (puts.isEmpty()) {
            return;
        }
        batches.incrementAndGet();
        AtomicInteger missing = new AtomicInteger(puts.size());
        for (int i = 0; i < puts.size(); i++) {
            PendingPut put = puts.get(i);
            endpoint.judged(put.name(), batch.get(i)).whenComplete((answer, e) -> {
                answered(put, answer, e);
                if (missing.decrementAndGet() == 0) {
                    batches.decrementAndGet();
                    usage.tell();
                    queue.work();
                }
            });
        }
        endpoint.sendNow(batch);
    }

    private void answered(PendingPut put, @Nullable String answer, @Nullable Throwable e) {
        if (e != null || answer != null) {
            settle(put, answer, e);
            return;
        }
        byte[] name = put.name(); // it is taken, by a value that is as good or by a key of another type
        endpoint.send(name, commands.removeOtherType(name)).whenComplete((removed, failure) -> {
            if (removed == null || removed == 0) {
                settle(put, null, failure);
            } else {
                endpoint.send(name, commands.setIfAbsent(name, put.sealed()))
                        .whenComplete((again, refusal) -> settle(put, again, refusal));
            }
        });
    }

    private void settle(PendingPut put, @Nullable String answer, @Nullable Throwable e) {
        if (e == null) {
            rest = 0;
            if (answer != null) {
                queue.move(put, () -> usage.add(1, put.bytes()));
            }
        } else {
            counts.refused.increment();
            if (Endpoint.isFull(e)) {
                refuseForAWhile();
            } else {
                counts.failed(e);
            }
        }
        queue.finish(put, e == null);
    }

    private void refuseForAWhile() {
        counts.full();
        if (!isFull()) {
            rest = rest == 0 ? FIRST_REST : Math.min(2 * rest, LONGEST_REST);
            fullUntil = System.nanoTime() + rest;
        }
    }

    /** Removes a key, after a put of it that is under way. */
    void remove(SampleKey key) {
        queue.after(key, () -> {
            byte[] name = keys.sample(key);
            remove(name, commands.remove(name));
        });
    }

    /** Removes a value if it is still the damaged one. A put never replaces a value, so it needs the room. */
    void removeDamaged(byte[] name, ByteBuffer damaged) {
        MessageDigest sha1 = Digests.of("SHA-1"); // the one that the server's scripts can compute
        sha1.update(damaged.duplicate());
        remove(name, commands.removeDamaged(name, HexFormat.of().formatHex(sha1.digest())));
    }

    private void remove(byte[] name, AsyncCommand<byte[], Frame, Long> command) {
        endpoint.send(name, command).whenComplete((bytes, e) -> {
            if (bytes != null && bytes >= 0) {
                usage.add(-1, -PendingPut.bytes(name.length, bytes));
                usage.tell();
            }
        });
    }

    /** Runs once the server has, or will not have, the value of a key; now if none is being put. */
    void afterPut(SampleKey key, Runnable action) {
        queue.after(key, action);
    }

    /** Completes once the server has, or has refused, everything put before. */
    Mono<Void> flushed() {
        return Flux.fromIterable(queue.writes())
                .flatMap(put -> Mono.fromCompletionStage(put.held()))
                .then();
    }

    /** How many values the server has, and those that wait for it. */
    long samples() {
        return queue.countWith(usage::samples);
    }

    /** The bytes of both. */
    long bytes() {
        return usage.bytes() + queue.bytes();
    }

    Set<SampleKey> keys() {
        return queue.keys();
    }

    /** A value that waits until the server has it. */
    private static final class PendingPut extends WriteBehind.Write {

        private static final int BESIDE = 64; // a hash table's entry, an object's header, what the allocator rounds up

        private final byte[] name;

        PendingPut(SampleKey key, byte[] name, ByteBuffer value) {
            super(key, Encoded.of(value.slice()));
            this.name = name;
        }

        /** The key in the server. */
        byte[] name() {
            return name;
        }

        Frame sealed() {
            return Frame.seal(key(), value().joined());
        }

        @Override
        public long bytes() {
            return bytes(name.length, Frame.HEADER + value().length());
        }

        /** About what the server needs for a value. */
        static long bytes(int name, long sealed) {
            return BESIDE + name + sealed;
        }
    }
}
