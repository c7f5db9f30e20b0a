package io.penstock.serve;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The runs of a server, each with the consumers that share it, and the ranks. */
final class Hubs {

    /** The max number of runs: each has its batches in memory. */
    static final int MAX = 16;

    /** The max number of batches that are made one by one. */
    private static final int MAX_SINGLE = 64;

    private final BatchFeed feed;
    private final Supplier<RunMemory> memories;
    private final int consumers;
    private final Sinks.Empty<Void> served = Sinks.empty();
    private final Object lock = new Object();
    private final List<Hub> hubs = new ArrayList<>();
    private final Set<Hub> single = new HashSet<>();
    private final BitSet finished = new BitSet();
    private int ends;
    private boolean closed;

    /** @param consumers how many begin a run together, and how many must get the end of each rank */
    Hubs(BatchFeed feed, Supplier<RunMemory> memories, int consumers) {
        this.feed = feed;
        this.memories = memories;
        this.consumers = consumers;
    }

    /** No run more may begin, or no rank is left. */
    static final class Full extends RuntimeException {
        private static final long serialVersionUID = 1;

        Full(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Joins a run at a position, or begins one there.
     * @param asked a rank; null for any free one
     * @param at    null for the start
     * @throws Full if that is not possible now
     */
    Cursor join(@Nullable Integer asked, @Nullable Position at) {
        synchronized (lock) {
            if (closed) {
                throw new Full("the server is closing");
            }
            int rank = asked == null ? freeRank() : asked;
            Position from = at == null ? feed.start() : at;
            for (Hub hub : hubs) {
                Cursor cursor = hub.rank() == rank ? hub.join(from) : null;
                if (cursor != null) {
                    return cursor;
                }
            }
            if (hubs.size() >= MAX) {
                throw new Full("there are %d runs at different positions already; end some consumers".formatted(MAX));
            }
            Hub hub = begin(rank, from, at == null ? consumers : 1);
            hubs.add(hub);
            Cursor cursor = hub.join(from);
            if (cursor == null) {
                throw new IllegalStateException("a new run stands where it begins");
            }
            return cursor;
        }
    }

    /**
     * A run of one batch for one consumer.
     * @throws Full if as many as possible are being made
     */
    Cursor alone(int rank, Position from, Flux<Batch> batch) {
        synchronized (lock) {
            if (closed || single.size() >= MAX_SINGLE) {
                throw new Full(closed ? "the server is closing" : MAX_SINGLE + " batches are being made already");
            }
            Hub[] self = new Hub[1];
            self[0] = new Hub(rank, from, batch, RunMemory.ofProcess(), 1, () -> forget(self[0]));
            single.add(self[0]);
            return Objects.requireNonNull(self[0].join(from));
        }
    }

    private Hub begin(int rank, Position from, int awaited) {
        RunMemory memory = memories.get();
        Hub[] self = new Hub[1];
        self[0] = new Hub(
                rank, from, Flux.defer(() -> feed.batches(rank, from, memory)), memory, awaited, () -> forget(self[0]));
        return self[0];
    }

    private void forget(Hub hub) {
        synchronized (lock) {
            hubs.remove(hub);
            single.remove(hub);
        }
    }

    private int freeRank() {
        if (feed.ranks() == 1) {
            return 0;
        }
        BitSet taken = (BitSet) finished.clone();
        hubs.forEach(hub -> taken.set(hub.rank()));
        int rank = taken.nextClearBit(0);
        if (rank >= feed.ranks()) {
            throw new Full("all %d ranks are taken or done; a consumer that comes back says which it was: rank=R"
                    .formatted(feed.ranks()));
        }
        return rank;
    }

    /** A consumer has had the last batch of a rank. */
    void ended(int rank) {
        boolean all;
        synchronized (lock) {
            ends++;
            finished.set(rank);
            all = ends >= consumers * feed.ranks() && finished.cardinality() == feed.ranks();
        }
        if (all) {
            served.tryEmitEmpty();
        }
    }

    /** Completes when every rank's last batch was sent to as many consumers as begin a run together. */
    Mono<Void> served() {
        return served.asMono();
    }

    List<Hub.State> states() {
        synchronized (lock) {
            return hubs.stream().map(Hub::state).toList();
        }
    }

    void close() {
        List<Hub> all;
        synchronized (lock) {
            closed = true;
            all = Stream.concat(hubs.stream(), single.stream()).toList();
        }
        all.forEach(Hub::close);
    }
}
