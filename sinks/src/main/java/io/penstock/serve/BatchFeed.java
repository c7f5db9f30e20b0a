package io.penstock.serve;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;

/** What a {@link BatchServer} serves: a run that can be begun at any position, for any of its ranks. Thread-safe. */
public interface BatchFeed {

    /** Batches that a run must be able to have out: those that consumers have, and one that is being filled. */
    int SLOTS = 4;

    /** How many ranks there are: 1 where every consumer gets all batches. */
    int ranks();

    /** Where a consumer begins that brings no token. */
    Position start();

    /**
     * A run of one rank. The same rank and position give the same batches, whenever and however often they are asked for.
     *
     * <p>Called on a thread that may block. At least {@value #SLOTS} batches must be able to be held at once.
     * @param rank   in {@code [0, ranks)}
     * @param from   where it begins
     * @param memory what batches are stacked in, as {@code Batches.allocator} takes it
     */
    Flux<Batch> batches(int rank, Position from, IntFunction<ByteBuffer> memory);

    /** The token of a position. */
    String token(Position at);

    /**
     * The position of a token.
     * @throws IllegalArgumentException if it is none, or another run's, saying so to whoever sent it
     */
    Position position(String token);
}
