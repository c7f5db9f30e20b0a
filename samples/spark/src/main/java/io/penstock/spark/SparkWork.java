package io.penstock.spark;

import io.penstock.cli.cache.FilledCache;
import io.penstock.cli.cache.Warming;
import io.penstock.cli.materialize.MaterializeFlags;
import io.penstock.cli.materialize.MaterializeTarget;
import io.penstock.cli.materialize.Sharding;
import io.penstock.cli.source.Cacheable;
import io.penstock.fault.StoreException;
import io.penstock.order.Shard;
import io.penstock.output.OutputStore;
import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What an executor is sent of a job: its arguments; and the tasks of the job. The source is opened there when the first
 * task wants it, once for all tasks of the process, since Spark keeps what is broadcast.
 */
final class SparkWork implements Serializable {

    @Serial
    private static final long serialVersionUID = 1;

    private final ArrayList<String> arguments;
    private final String fingerprint;
    private final transient MaterializeFlags flags;
    private final transient Mono<Cacheable<?>> samples;
    private final transient ReentrantLock turn = new ReentrantLock();
    private transient @Nullable FilledCache cache;
    private transient int users;

    /** @param fingerprint of the samples as the driver sees them, in hexadecimal */
    SparkWork(List<String> arguments, String fingerprint) {
        this.arguments = new ArrayList<>(arguments);
        this.fingerprint = fingerprint;
        this.flags = SparkMaterialize.flags(arguments);
        this.samples = Mono.<Cacheable<?>>fromCallable(this::open).cacheInvalidateIf(opened -> false);
    }

    @Serial
    private Object readResolve() {
        return new SparkWork(arguments, fingerprint);
    }

    private Cacheable<?> open() {
        Cacheable<?> found = flags.open();
        String here = found.dataset().fingerprint().hex();
        if (!here.equals(fingerprint)) {
            throw new StoreException(
                    ("the source is not what it was when the job began, or not the same on all machines: its samples"
                                    + " were %s, are %s here")
                            .formatted(fingerprint, here));
        }
        return found;
    }

    /** Blocks while it is opened. */
    private Cacheable<?> samples() {
        return Objects.requireNonNull(samples.block(), "samples");
    }

    /** Fills the cache with one rank's samples. What this says is there has been written when it ends. */
    Warming.Outcome fill(Shard shard) {
        FilledCache open = enter();
        try {
            return fill(samples(), open, shard);
        } finally {
            leave(open);
        }
    }

    /** The cache that the tasks of a process have open together: one on disk can be open but once in it. */
    private FilledCache enter() {
        turn.lock();
        try {
            FilledCache open = cache == null
                    ? ((MaterializeTarget.Cache) flags.target()).opener().get()
                    : cache;
            cache = open;
            users++;
            return open;
        } finally {
            turn.unlock();
        }
    }

    /** Closes it behind the last of them. */
    private void leave(FilledCache open) {
        turn.lock();
        try {
            users--;
            if (users == 0) {
                cache = null;
                open.close();
            }
        } finally {
            turn.unlock();
        }
    }

    private <T> Warming.Outcome fill(Cacheable<T> all, FilledCache open, Shard shard) {
        Warming<T> warming = new Warming<>(all, open, flags.inFlight(), shard, failure -> {});
        warming.load(() -> {}).block();
        return warming.outcome();
    }

    /** Writes one rank's tar shards. */
    Sharding.Outcome write(Shard shard) {
        MaterializeTarget.Tar tar = (MaterializeTarget.Tar) flags.target();
        try (OutputStore output = tar.place().output()) {
            Sharding<?> sharding = new Sharding<>(flags.shards(samples(), output, failure -> {}), shard);
            sharding.write(() -> {}).block();
            return sharding.outcome();
        }
    }
}
