package io.penstock.cli;

import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleException;
import io.penstock.pipeline.Shard;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Loads the samples of a dataset that a cache does not hold, in their order. Those that are there are not read; one that
 * cannot be loaded does not stop the others.
 */
final class Warming<T> {

    private final Dataset<T> kept;
    private final ChronicleTier tier;
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
     * @param full         whether it ended because the cache had no room
     * @param firstFailure in words, if there was one
     */
    record Outcome(
            long samples,
            long already,
            long loaded,
            long failed,
            boolean full,
            double seconds,
            @Nullable String firstFailure) {}

    /**
     * @param shard    whose part of the samples it is: a run of neighbours
     * @param failures told of each sample that cannot be loaded, on the thread that tried
     */
    Warming(
            Cacheable<T> cacheable,
            ChronicleTier tier,
            int inFlight,
            Shard shard,
            Consumer<? super SampleException> failures) {
        Dataset<T> all = cacheable.in(tier, null);
        this.kept = all.slice(begin(all, shard.rank(), shard), begin(all, shard.rank() + 1, shard));
        this.tier = tier;
        this.inFlight = inFlight;
        this.failures = failures;
    }

    /** Where a rank's samples begin: the first ranks have one more where it does not divide. */
    private static long begin(Dataset<?> all, int rank, Shard shard) {
        long each = all.size() / shard.worldSize();
        long over = all.size() % shard.worldSize();
        return each * rank + Math.min(rank, over);
    }

    /** How many samples there are in all of its part. */
    long samples() {
        return kept.size();
    }

    /**
     * Blocks until it has ended.
     * @param interrupted called after a signal
     * @return false if a signal ended it
     */
    boolean run(ProgressLine progress, Consumer<Outcome> interrupted) {
        try (Interruption interruption = Interruption.watch(() -> interrupted.accept(outcome()))) {
            try {
                missing()
                        .flatMap(this::load, inFlight)
                        .takeUntilOther(interruption.stop())
                        .doOnNext(sample -> show(progress))
                        .blockLast();
            } finally {
                progress.clear();
            }
            return !interruption.ended();
        }
    }

    private void show(ProgressLine progress) {
        if (progress.isDue()) {
            long done = already.get() + loaded.get() + failed.get();
            progress.show("warming", done, "samples", "%d were there".formatted(already.get()));
        }
    }

    /** Found as they are asked for, so that what another process loads meanwhile is not loaded here too. */
    private Flux<Long> missing() {
        return Flux.generate(() -> 0L, (from, sink) -> {
            long index = from;
            while (index < kept.size() && tier.contains(kept.key(index))) {
                index++;
                already.incrementAndGet();
            }
            if (index == kept.size()) {
                sink.complete();
            } else if (!tier.accepts(kept.key(index))) {
                full = true;
                sink.complete();
            } else {
                sink.next(index);
            }
            return index + 1;
        });
    }

    private Mono<T> load(long index) {
        return kept.get(index).doOnNext(value -> loaded(index)).onErrorResume(SampleException.class, e -> {
            failed.incrementAndGet();
            failures.accept(e);
            firstFailure.compareAndSet(null, Reason.of(e));
            return Mono.empty();
        });
    }

    private void loaded(long index) {
        if (tier.contains(kept.key(index))) {
            loaded.incrementAndGet();
        } else {
            full = true;
        }
    }

    Outcome outcome() {
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
