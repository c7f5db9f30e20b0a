package io.penstock.cache.redis;

import io.lettuce.core.protocol.AsyncCommand;
import io.penstock.cache.SampleKey;
import io.penstock.internal.DrainLoop;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.ToldSubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Look-ups, sent together. What comes is checked and handed on by a worker, a group at a time, so that the connection's
 * thread only copies.
 *
 * <p>A command costs both sides as much as dozens of keys do, and a stream asks for its next key with each that it
 * gets. So look-ups wait until they are a quarter of those that are on their way, or as many as one command takes. A
 * look-up waits for a round trip at most, and not at all while nothing is on its way. So groups grow and shrink with
 * what is in flight, as by Nagle's rule, and four or five are under way at any distance.
 * @see <a href="https://www.rfc-editor.org/rfc/rfc896">RFC 896, Congestion control in IP/TCP: the small-packet
 *     problem</a>
 */
final class Reads {

    private static final int MAX_KEYS = 128;
    private static final int GROUP_BYTES = 1 << 20;
    private static final int GROUPS = 4;

    private final Endpoint endpoint;
    private final KeySpace keys;
    private final Commands commands;
    private final Counts counts;
    private final Writes writes;
    private final Queue<Read> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    private final DrainLoop loop = new DrainLoop();
    private volatile int usualBytes = 1024;

    private final class Read extends ToldSubscriber<ByteBuffer> {

        private final SampleKey key;
        private final byte[] name;

        Read(SampleKey key, CoreSubscriber<? super ByteBuffer> actual) {
            super(actual);
            this.key = key;
            this.name = keys.sample(key);
        }
    }

    Reads(Endpoint endpoint, KeySpace keys, Commands commands, Counts counts, Writes writes) {
        this.endpoint = endpoint;
        this.keys = keys;
        this.commands = commands;
        this.counts = counts;
        this.writes = writes;
    }

    Mono<ByteBuffer> get(SampleKey key) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ByteBuffer> actual) {
                Read read = new Read(key, actual);
                actual.onSubscribe(read);
                queue.add(read);
                waiting.incrementAndGet();
                sendIfDue();
            }
        };
    }

    private void sendIfDue() {
        if (isDue() && loop.enter()) {
            endpoint.execute(this::drain);
        }
    }

    /** Called after the counts have changed, so that the later one of a look-up and an answer sees both. */
    private boolean isDue() {
        int reads = waiting.get();
        return reads > 0 && (reads >= underWay.get() / GROUPS || reads >= maxKeys());
    }

    private int maxKeys() {
        return Math.max(1, Math.min(MAX_KEYS, GROUP_BYTES / usualBytes));
    }

    private void drain() {
        do {
            while (isDue()) {
                send(group());
            }
        } while (!loop.leave());
    }

    private List<Read> group() {
        int count = Math.min(waiting.get(), maxKeys());
        List<Read> group = new ArrayList<>(count);
        for (Read read = queue.poll(); read != null; read = group.size() < count ? queue.poll() : null) {
            group.add(read);
        }
        waiting.addAndGet(-group.size());
        underWay.addAndGet(group.size());
        return group;
    }

    private void send(List<Read> group) {
        Connection connection = endpoint.connection();
        if (connection != null && connection.isCluster()) {
            sendEach(group);
        } else if (!endpoint.isUp()) { // it went while they waited
            deliver(group, null, null);
        } else {
            sendTogether(group);
        }
    }

    private void sendTogether(List<Read> group) {
        List<byte[]> names = new ArrayList<>(group.size());
        for (Read read : group) {
            names.add(read.name);
        }
        AsyncCommand<byte[], Frame, List<Frame>> command = commands.getAll(names);
        endpoint.judged(names.get(0), command).whenComplete((found, e) -> deliver(group, found, e));
        endpoint.sendNow(List.of(command));
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
            endpoint.judged(name, command).whenComplete((frame, e) -> {
                found[at] = frame;
                if (e != null) {
                    counts.failed(e);
                }
                if (missing.decrementAndGet() == 0) {
                    deliver(group, Arrays.asList(found), null);
                }
            });
        }
        endpoint.sendNow(each);
    }

    private void deliver(List<Read> group, @Nullable List<Frame> found, @Nullable Throwable e) {
        if (e != null) {
            counts.failed(e);
        }
        List<Frame> whole = found != null && found.size() == group.size() ? found : null;
        underWay.addAndGet(-group.size());
        GuardedScheduler.PARALLEL.schedule(() -> answer(group, whole));
        sendIfDue();
    }

    private void answer(List<Read> group, @Nullable List<Frame> found) {
        @Nullable ByteBuffer[] values = new ByteBuffer[group.size()];
        int hits = 0;
        for (int i = 0; found != null && i < values.length; i++) {
            Frame frame = found.get(i);
            values[i] = frame == null ? null : open(group.get(i).key, group.get(i).name, frame.body());
            hits += values[i] == null ? 0 : 1;
        }
        counts.hits.add(hits); // before anyone is told
        counts.misses.add(values.length - hits);
        for (int i = 0; i < values.length; i++) {
            group.get(i).tell(values[i], null);
        }
    }

    /** The value in what came for a key. Damage is counted, removed from the server, and gives null. */
    @Nullable ByteBuffer open(SampleKey key, byte[] name, ByteBuffer sealed) {
        int usual = usualBytes;
        usualBytes = Math.max(1, (int) (usual + (sealed.remaining() - (long) usual) / 8));
        ByteBuffer value = Frame.open(key, sealed);
        if (value == null) {
            counts.damaged(name);
            writes.removeDamaged(name, sealed); // sent before a lease or a put of the key
        }
        return value;
    }
}
