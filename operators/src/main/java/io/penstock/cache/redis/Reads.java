package io.penstock.cache.redis;

import io.lettuce.core.protocol.AsyncCommand;
import io.penstock.pipeline.SampleKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * Look-ups, sent together: what is asked for until the thread that writes gets to it becomes one command, or one flush
 * where keys lie on several nodes. What comes is checked and handed on by a worker, a group at a time, so that the
 * connection's thread only copies.
 */
final class Reads {

    private static final int MOST_KEYS = 128;
    private static final int GROUP_BYTES = 1 << 20;

    private final Link link;
    private final KeySpace keys;
    private final Commands commands;
    private final Counts counts;
    private final Queue<Read> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger toDo = new AtomicInteger();
    private volatile int usualBytes = 1024;

    private static final class Read {
        private final SampleKey key;
        private final byte[] name;
        private final MonoSink<ByteBuffer> sink;

        Read(SampleKey key, byte[] name, MonoSink<ByteBuffer> sink) {
            this.key = key;
            this.name = name;
            this.sink = sink;
        }
    }

    Reads(Link link, KeySpace keys, Commands commands, Counts counts) {
        this.link = link;
        this.keys = keys;
        this.commands = commands;
        this.counts = counts;
    }

    Mono<ByteBuffer> get(SampleKey key) {
        return Mono.create(sink -> {
            queue.add(new Read(key, keys.sample(key), sink));
            if (toDo.getAndIncrement() == 0) {
                link.execute(this::drain);
            }
        });
    }

    private void drain() {
        int seen;
        do {
            seen = toDo.get();
            for (Read read = queue.poll(); read != null; read = queue.poll()) {
                send(group(read));
            }
        } while (!toDo.compareAndSet(seen, 0));
    }

    private List<Read> group(Read first) {
        int most = Math.max(1, Math.min(MOST_KEYS, GROUP_BYTES / usualBytes));
        List<Read> group = new ArrayList<>();
        for (Read read = first; read != null; read = group.size() < most ? queue.poll() : null) {
            group.add(read);
        }
        return group;
    }

    private void send(List<Read> group) {
        Wire wire = link.wire();
        if (wire != null && wire.isCluster()) {
            sendEach(group);
            return;
        }
        AsyncCommand<byte[], Frame, List<Frame>> command =
                commands.getAll(group.stream().map(read -> read.name).toList());
        link.judged(group.get(0).name, command).whenComplete((found, e) -> deliver(group, found, e));
        link.sendNow(List.of(command));
    }

    private void sendEach(List<Read> group) {
        @Nullable Frame[] found = new Frame[group.size()];
        AtomicInteger missing = new AtomicInteger(found.length);
        List<AsyncCommand<byte[], Frame, Frame>> each = new ArrayList<>();
        for (int i = 0; i < found.length; i++) {
            int at = i;
            byte[] name = group.get(i).name;
            AsyncCommand<byte[], Frame, Frame> command = commands.get(name);
            each.add(command);
            link.judged(name, command).whenComplete((frame, e) -> {
                found[at] = frame;
                if (e != null) {
                    counts.failed(e);
                }
                if (missing.decrementAndGet() == 0) {
                    deliver(group, java.util.Arrays.asList(found), null);
                }
            });
        }
        link.sendNow(each);
    }

    private void deliver(List<Read> group, @Nullable List<Frame> found, @Nullable Throwable e) {
        if (e != null) {
            counts.failed(e);
        }
        List<Frame> whole = found != null && found.size() == group.size() ? found : null;
        Schedulers.parallel().schedule(() -> {
            for (int i = 0; i < group.size(); i++) {
                answer(group.get(i), whole == null ? null : whole.get(i));
            }
        });
    }

    private void answer(Read read, @Nullable Frame frame) {
        ByteBuffer value = frame == null ? null : Envelope.open(read.key, frame.body());
        if (frame != null) {
            usualBytes = Math.max(1, (int) (usualBytes + (frame.body().remaining() - (long) usualBytes) / 8));
            if (value == null) {
                counts.damaged(read.name);
            }
        }
        if (value == null) {
            counts.misses.increment();
            read.sink.success();
        } else {
            counts.hits.increment();
            read.sink.success(value);
        }
    }
}
