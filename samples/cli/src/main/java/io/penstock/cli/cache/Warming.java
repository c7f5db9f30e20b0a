package io.penstock.cli.cache;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.fault.SampleException;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import java.io.Serializable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Loads the samples of a dataset that a cache does not hold, in their order. Those that are there are not read; one
 * that cannot be loaded does not stop the others.
 */
public final class Warming<T> {

    private final Dataset<T> kept;
    private final FilledCache cache;
    private final int inFlight;
    private final Consumer<? super SampleException> failures;
    private final long started = System.nanoTime();
    private final AtomicLong already = new AtomicLong();
    private final AtomicLong loaded = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicReference<@Nullable String> firstFailure = new AtomicReference<>();
    private volatile boolean full;

    /**
     * How far it came.
     *
     * @param already      held before
     * @param full         whether the cache had no room for all
     * @param firstFailure in words, if there was one
     */
    public record Outcome(
            long samples,
            long already,
            long loaded,
            long failed,
            boolean full,
            double seconds,
            @Nullable String firstFailure)
            implements Serializable {

        /** Of two ranks that worked side by side. */
        public Outcome and(Outcome other) {
            return new Outcome(
                    samples + other.samples,
                    already + other.already,
                    loaded + other.loaded,
                    failed + other.failed,
                    full || other.full,
                    Math.max(seconds, other.seconds),
                    firstFailure == null ? other.firstFailure : firstFailure);
        }

        public Outcome in(double wallSeconds) {
            return new Outcome(samples, already, loaded, failed, full, wallSeconds, firstFailure);
        }

        /**
         * Prints it.
         * @param failuresAllowed whether samples that could not be loaded are no reason to end with status 1
         * @param partAllowed     whether samples that the cache did not keep are none either
         * @return the exit status
         */
        public int report(OutputFlags flags, String event, boolean failuresAllowed, boolean partAllowed) {
            flags.print(
                    "%d samples: %d were there, %d loaded in %.1f s, %d failed%s"
                            .formatted(samples, already, loaded, seconds, failed, full ? "; the cache is full" : ""),
                    event,
                    node -> node.put("samples", samples)
                            .put("already", already)
                            .put("loaded", loaded)
                            .put("failed", failed)
                            .put("full", full)
                            .put("seconds", seconds));
            if (firstFailure != null && !failuresAllowed) {
                flags.complain("%d samples could not be loaded; the first: %s".formatted(failed, firstFailure));
                return 1;
            }
            if (full && !partAllowed) {
                flags.complain(("%d of %d samples are not in the cache, which has no more room; "
                                + "make room and repeat the command to continue")
                        .formatted(samples - already - loaded - failed, samples));
                return 1;
            }
            return 0;
        }
    }

    /**
     * @param shard    whose part of the samples it is: a run of neighbours
     * @param failures told of each sample that cannot be loaded, on the thread that tried
     */
    public Warming(
            Cacheable<T> cacheable,
            FilledCache cache,
            int inFlight,
            Shard shard,
            Consumer<? super SampleException> failures) {
        Dataset<T> all = cacheable.in(Cache.of(cache.tier()), null);
        this.kept = all.slice(begin(all, shard.rank(), shard), begin(all, shard.rank() + 1, shard));
        this.cache = cache;
        this.inFlight = inFlight;
        this.failures = failures;
    }

    /** Where a rank's samples begin: the first ranks have one more where it does not divide. */
    private static long begin(Dataset<?> all, int rank, Shard shard) {
        long each = all.size() / shard.worldSize();
        long over = all.size() % shard.worldSize();
        return each * rank + Math.min(rank, over);
    }

    long samples() {
        return kept.size();
    }

    /** Blocks until it has ended; false if a signal ended it, after which {@code interrupted} is called. */
    boolean run(ProgressLine progress, Consumer<Outcome> interrupted) {
        return Interruption.run(
                stop -> load(() -> show(progress)).takeUntilOther(stop),
                progress,
                () -> {},
                () -> interrupted.accept(outcome()));
    }

    /**
     * Does the work. Completes when all that can be there is, and was looked for once more: what a cache took may still
     * be refused by a server, or have given way to something else.
     * <p>Fails with {@code StoreException} where the cache cannot be asked any more.
     * @param eachSample called for each sample that was loaded, by one thread at a time
     */
    public Mono<Void> load(Runnable eachSample) {
        return missing()
                .flatMap(this::load, inFlight)
                .doOnNext(sample -> eachSample.run())
                .then(Mono.defer(cache.flush()))
                .then(Mono.defer(this::lookAgain));
    }

    private Mono<Void> lookAgain() {
        return looks().filter(Look::there).count().doOnNext(this::settle).then();
    }

    private void settle(long there) {
        if (there < already.get() + loaded.get()) {
            full = true;
            loaded.set(Math.max(0, there - already.get()));
        }
    }

    private void show(ProgressLine progress) {
        if (progress.isDue()) {
            long done = already.get() + loaded.get() + failed.get();
            progress.show("warming", done, "samples", "%d were there".formatted(already.get()));
        }
    }

    private record Look(long index, boolean there) {}

    private Flux<Look> looks() {
        Flux<Long> all = Flux.fromStream(() -> LongStream.range(0, kept.size()).boxed());
        return cache.lookAhead() == 1
                ? all.concatMap(this::look, 0)
                : all.flatMapSequential(this::look, cache.lookAhead(), 1);
    }

    private Mono<Look> look(long index) {
        return cache.contains().apply(kept.id(index).key()).map(there -> new Look(index, there));
    }

    /** Found as they are asked for, so that what another process loads meanwhile is not loaded here too. */
    private Flux<Long> missing() {
        return looks().takeWhile(look -> look.there() || hasRoom(look.index()))
                .filter(look -> {
                    if (look.there()) {
                        already.incrementAndGet();
                    }
                    return !look.there();
                })
                .map(Look::index);
    }

    private boolean hasRoom(long index) {
        boolean accepted = cache.tier().accepts(kept.id(index).key(), Entry.UNKNOWN);
        full |= !accepted;
        return accepted;
    }

    private Mono<T> load(long index) {
        return kept.get(index)
                .delayUntil(
                        value -> cache.contains().apply(kept.id(index).key()).doOnNext(this::loaded))
                .onErrorResume(SampleException.class, e -> {
                    failed.incrementAndGet();
                    failures.accept(e);
                    firstFailure.compareAndSet(null, Reason.of(e));
                    return Mono.empty();
                });
    }

    private void loaded(boolean there) {
        if (there) {
            loaded.incrementAndGet();
        } else {
            full = true;
        }
    }

    public Outcome outcome() {
        return new Outcome(
                kept.size(),
                already.get(),
                loaded.get(),
                failed.get(),
                full,
                (System.nanoTime() - started) / 1e9,
                firstFailure.get());
    }
}
