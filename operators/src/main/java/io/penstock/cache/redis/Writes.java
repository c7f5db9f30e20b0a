package io.penstock.cache.redis;

import io.lettuce.core.protocol.AsyncCommand;
import io.penstock.cache.SampleKey;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Puts, sent in batches: what comes while some batches are on their way makes the next one, so that a batch is as large as
 * the server is slow and none waits for a clock. Bounded twice: the bytes on their way, and those that wait.
 */
final class Writes {

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
    private final long mostWaiting;

    private final ConcurrentMap<SampleKey, PendingPut> pending = new ConcurrentHashMap<>();
    private final AtomicInteger pendingCount = new AtomicInteger();
    private final Queue<PendingPut> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicInteger batches = new AtomicInteger();
    private final AtomicInteger toDo = new AtomicInteger();
    private volatile long rest;
    private volatile long fullUntil;

    Writes(Endpoint endpoint, KeySpace keys, Commands commands, Counts counts, Usage usage, long mostWaiting) {
        this.endpoint = endpoint;
        this.keys = keys;
        this.commands = commands;
        this.counts = counts;
        this.usage = usage;
        this.mostWaiting = mostWaiting;
    }

    @Nullable ByteBuffer find(SampleKey key) {
        PendingPut found = pendingCount.get() == 0 ? null : pending.get(key);
        return found == null ? null : found.view();
    }

    /** Whether the server lately said that it has no room; it is asked again now and then. */
    boolean isFull() {
        return rest != 0 && System.nanoTime() - fullUntil < 0;
    }

    Mono<Boolean> put(SampleKey key, ByteBuffer value) {
        PendingPut put = new PendingPut(key, keys.sample(key), value);
        if (!endpoint.isUp(put.name()) || isFull()) {
            counts.refused.increment();
            return Mono.just(false);
        }
        if (pending.putIfAbsent(key, put) != null) {
            return Mono.just(true);
        }
        pendingCount.incrementAndGet();
        long now = waiting.addAndGet(put.bytes());
        queue.add(put);
        work();
        return now <= mostWaiting ? Mono.just(true) : later(put);
    }

    private static Mono<Boolean> later(PendingPut put) {
        return put.fate().publishOn(Schedulers.parallel());
    }

    private void work() {
        if (toDo.getAndIncrement() == 0) {
            endpoint.execute(this::drain);
        }
    }

    private void drain() {
        int seen;
        do {
            seen = toDo.get();
            while (batches.get() < ON_THEIR_WAY && !queue.isEmpty()) {
                send();
            }
        } while (!toDo.compareAndSet(seen, 0));
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
            batch.add(commands.setIfAbsent(put.name(), Envelope.seal(put.key(), put.value())));
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
                    work();
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
        byte[] name = put.name(); // is taken: by a value that is as good, or by a key of another type
        endpoint.send(name, commands.removeOtherType(name)).whenComplete((removed, failure) -> {
            if (removed == null || removed == 0) {
                settle(put, null, failure);
            } else {
                endpoint.send(name, commands.setIfAbsent(name, Envelope.seal(put.key(), put.value())))
                        .whenComplete((again, refusal) -> settle(put, again, refusal));
            }
        });
    }

    private void settle(PendingPut put, @Nullable String answer, @Nullable Throwable e) {
        if (e == null) {
            rest = 0;
            if (answer != null) {
                usage.add(1, put.bytes());
            }
        } else {
            counts.refused.increment();
            if (Endpoint.isFull(e)) {
                refuseForAWhile();
            } else {
                counts.failed(e);
            }
        }
        waiting.addAndGet(-put.bytes());
        if (pending.remove(put.key(), put)) {
            pendingCount.decrementAndGet();
        }
        put.done(e == null);
    }

    private void refuseForAWhile() {
        counts.full();
        if (!isFull()) {
            rest = rest == 0 ? FIRST_REST : Math.min(2 * rest, LONGEST_REST);
            fullUntil = System.nanoTime() + rest;
        }
    }

    /** Forgets a key, behind a put of it that is under way. */
    void remove(SampleKey key) {
        afterPut(key, () -> {
            byte[] name = keys.sample(key);
            remove(name, commands.remove(name));
        });
    }

    /** Makes room for a put where this is still what the server has: a put never replaces a value. */
    void removeDamaged(byte[] name, ByteBuffer damaged) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1"); // the one that the server's scripts can compute
            sha1.update(damaged.duplicate());
            remove(name, commands.removeDamaged(name, HexFormat.of().formatHex(sha1.digest())));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-1", e);
        }
    }

    private void remove(byte[] name, AsyncCommand<byte[], Frame, Long> command) {
        endpoint.send(name, command).whenComplete((bytes, e) -> {
            if (bytes != null && bytes >= 0) {
                usage.add(-1, -PendingPut.bytes(name.length, bytes));
                usage.tell();
            }
        });
    }

    /** Runs once the server has, or will not have, the value of a key that is being put, if one is. */
    void afterPut(SampleKey key, Runnable action) {
        PendingPut put = pending.get(key);
        if (put == null) {
            action.run();
        } else {
            put.afterwards(action);
        }
    }

    /** Completes when the fate of everything put before is known. */
    Mono<Void> flushed() {
        return Flux.fromIterable(new ArrayList<>(pending.values()))
                .flatMap(PendingPut::fate)
                .then();
    }

    List<SampleKey> keys() {
        return new ArrayList<>(pending.keySet());
    }
}
