package io.penstock.cache.lazy;

import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.GuardedScheduler;
import io.penstock.order.Shard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One number that all ranks go by, made of the smallest that any of them offers, in a folder that all of them see.
 * Files are put there whole, so what can be seen can be read; looking for them again and again works on network file
 * systems too, which do not tell of changes.
 */
record Agreement(Path folder, Shard shard, Duration patience) {

    private static final Duration LOOK = Duration.ofMillis(100);
    private static final String AGREED = "lazy-shard.agreed";
    private static final int LONGEST = 32;

    /** What was agreed on, which is {@code result} of the smallest offer unless it was before. */
    Mono<Long> on(long offer, LongUnaryOperator result) {
        return Mono.fromCallable(() -> offered(offer))
                .subscribeOn(GuardedScheduler.ELASTIC)
                .thenMany(Flux.interval(Duration.ZERO, LOOK, GuardedScheduler.ELASTIC)
                        .onBackpressureDrop())
                .concatMap(tick -> Mono.fromCallable(() -> look(result)), 1)
                .next()
                .timeout(patience)
                .onErrorMap(
                        TimeoutException.class,
                        e -> new StoreException(
                                ("ranks cannot agree on the size of lazy shards in %s: %d of %d have come within %s;"
                                                + " start all of them, or clear the folder")
                                        .formatted(folder, offers(), shard.worldSize(), patience),
                                e))
                .onErrorMap(
                        IOException.class,
                        e -> new StoreException("ranks cannot agree on the size of lazy shards in " + folder, e));
    }

    private boolean offered(long offer) throws IOException {
        Files.createDirectories(folder);
        if (!Files.exists(folder.resolve(AGREED))) {
            AtomicFile.write(offerOf(shard.rank()), Long.toString(offer));
        }
        return true;
    }

    private Path offerOf(int rank) {
        return folder.resolve("lazy-shard.%d-of-%d".formatted(rank, shard.worldSize()));
    }

    private @Nullable Long look(LongUnaryOperator result) throws IOException {
        Path agreed = folder.resolve(AGREED);
        if (shard.rank() == 0 && !Files.exists(agreed) && offers() == shard.worldSize()) {
            long smallest = Long.MAX_VALUE;
            for (int rank = 0; rank < shard.worldSize(); rank++) {
                smallest = Math.min(smallest, number(offerOf(rank)));
            }
            AtomicFile.write(agreed, Long.toString(result.applyAsLong(smallest)));
        }
        return Files.exists(agreed) ? number(agreed) : null;
    }

    private int offers() {
        int there = 0;
        for (int rank = 0; rank < shard.worldSize(); rank++) {
            there += Files.exists(offerOf(rank)) ? 1 : 0;
        }
        return there;
    }

    private static long number(Path file) throws IOException {
        String text = Files.size(file) > LONGEST ? "" : Files.readString(file).strip();
        if (!text.matches("\\d{1,18}")) {
            throw new IOException("%s holds no number; clear the folder".formatted(file));
        }
        return Long.parseLong(text);
    }
}
