package io.penstock.cache.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.AsyncCommand;
import io.penstock.internal.DrainLoop;
import io.penstock.internal.GuardedScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * One address: its connection, once there is one, and a breaker for each of its servers. Commands that are sent one by
 * one are collected until the writing thread takes them, and sent together.
 */
final class Endpoint {

    private static final String UNCONNECTED = "";

    private final Address address;
    private final Connector connector;
    private final Commands commands;
    private final Runnable connected;
    private final Scheduler timer = GuardedScheduler.PARALLEL;
    private final ConcurrentMap<String, Breaker> breakers = new ConcurrentHashMap<>();
    private final Breaker first;
    private final Queue<AsyncCommand<byte[], Frame, ?>> outbox = new ConcurrentLinkedQueue<>();
    private final DrainLoop loop = new DrainLoop();
    private volatile @Nullable Connection connection;
    private volatile boolean closed;

    /** @param connected told when there is a connection for the first time */
    Endpoint(Address address, Settings settings, Commands commands, ClientThreads threads, Runnable connected) {
        this.address = address;
        this.connector = new Connector(address, settings, commands.codec(), threads);
        this.commands = commands;
        this.connected = connected;
        this.first = new Breaker(address.toString(), this::connect, timer);
        breakers.put(UNCONNECTED, first);
    }

    /**
     * Connects, and waits at most this long. An attempt that takes longer goes on; one that fails is repeated now and
     * then. Never fails: a warning says that the run goes on without the cache.
     */
    Mono<Void> open(Duration atMost) {
        Mono<Void> attempt = connect().then().onErrorResume(e -> {
            if (!closed) {
                first.unreachable(e);
            }
            return Mono.empty();
        });
        return Mono.fromFuture(attempt.toFuture(), true) // goes on when its last waiter has left
                .timeout(atMost, Mono.fromRunnable(() -> first.late(atMost)));
    }

    private Mono<?> connect() {
        Connection there = connection;
        if (there != null) {
            return Mono.fromCompletionStage(() -> there.ping(commands));
        }
        return Mono.fromCallable(connector::connect)
                .subscribeOn(GuardedScheduler.ELASTIC)
                .doOnNext(this::begin);
    }

    private void begin(Connection made) {
        connection = made;
        if (closed) {
            made.close();
        } else {
            connected.run();
        }
    }

    @Nullable Connection connection() {
        return connection;
    }

    /** Whether there is a connection, and the server of the key answers. */
    boolean isUp(byte[] key) {
        Connection there = connection;
        return there != null && !closed && !breaker(there, key).isOpen();
    }

    /** Whether any of the servers may answer. */
    boolean isUp() {
        return connection != null && !closed && !first.isOpen();
    }

    private Breaker breaker(Connection there, byte[] key) {
        if (!there.isCluster()) {
            return first;
        }
        String node = there.nodeOf(key);
        Breaker known = breakers.get(node);
        return known != null ? known : breakers.computeIfAbsent(node, name -> breakerOf(key));
    }

    private Breaker breakerOf(byte[] key) {
        return new Breaker(address + ", a node of it", () -> probe(key), timer);
    }

    private Mono<?> probe(byte[] key) {
        Connection there = connection;
        if (there == null) {
            return Mono.error(new RedisException("not connected"));
        }
        AsyncCommand<byte[], Frame, Long> question = commands.exists(key);
        return Mono.defer(() -> {
            there.send(List.of(question));
            return Mono.fromFuture(question);
        });
    }

    /** Runs it on the thread that writes, once it has nothing else to do. */
    void execute(Runnable work) {
        Connection there = connection;
        if (there == null) {
            work.run();
        } else {
            there.execute(work);
        }
    }

    /** Sends a command together with others; the breaker has seen its answer or failure. */
    <T> CompletionStage<T> send(byte[] key, AsyncCommand<byte[], Frame, T> command) {
        CompletionStage<T> answer = judged(key, command);
        outbox.add(command);
        if (loop.enter()) {
            execute(this::flush);
        }
        return answer;
    }

    private void flush() {
        do {
            List<AsyncCommand<byte[], Frame, ?>> batch = new ArrayList<>();
            for (var next = outbox.poll(); next != null; next = outbox.poll()) {
                batch.add(next);
            }
            if (!batch.isEmpty()) {
                sendNow(batch);
            }
        } while (!loop.leave());
    }

    /** Sends commands; the caller passes them to {@link #judged} before. */
    void sendNow(List<? extends AsyncCommand<byte[], Frame, ?>> batch) {
        Connection there = connection;
        if (there == null || closed) {
            RedisException gone = new RedisException("not connected");
            batch.forEach(command -> command.completeExceptionally(gone));
        } else {
            there.send(batch);
        }
    }

    /** Has the breaker see the answer to a command. */
    <T> CompletionStage<T> judged(byte[] key, AsyncCommand<byte[], Frame, T> command) {
        return command.whenComplete((answer, e) -> judge(key, e));
    }

    private void judge(byte[] key, @Nullable Throwable e) {
        Connection there = connection;
        if (there == null) {
            return;
        }
        Breaker breaker = breaker(there, key);
        if (e == null) {
            breaker.succeeded();
        } else if (!closed && isOut(e)) {
            breaker.failed(e);
        }
    }

    /** Whether a server has no room for what it is to take. */
    static boolean isFull(Throwable e) {
        Throwable cause = cause(e);
        return cause instanceof RedisCommandExecutionException && message(cause).startsWith("OOM ");
    }

    /** Whether a key has a value that is no string. */
    static boolean isOtherType(Throwable e) {
        return message(cause(e)).startsWith("WRONGTYPE ");
    }

    /** Whether there was no answer, or one that says that the server serves no client now. */
    private static boolean isOut(Throwable e) {
        return !(e instanceof RedisCommandExecutionException)
                || message(e).matches("(CLUSTERDOWN|LOADING|MASTERDOWN|READONLY|NOAUTH|NOPERM|WRONGPASS|BUSY) .*");
    }

    private static String message(Throwable e) {
        return String.valueOf(e.getMessage());
    }

    /** The reason of a failure, in words that do not show credentials. */
    static String reason(Throwable e) {
        Throwable cause = cause(e);
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    private static Throwable cause(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null
                && (cause instanceof CompletionException || cause instanceof RedisConnectionException)) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Closes the connection, waiting no longer than this for it. */
    Mono<Void> close(Duration atMost) {
        closed = true;
        breakers.values().forEach(Breaker::dispose);
        Connection there = connection;
        return there == null
                ? Mono.empty()
                : Mono.fromCompletionStage(there::close).then().timeout(atMost).onErrorComplete();
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
