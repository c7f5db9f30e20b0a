package io.penstock.serve;

import io.penstock.batch.Batch;
import io.penstock.batch.BatchPlan;
import io.penstock.order.Position;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;

/** The batches that a {@link BatchServer} serves: a run can begin at any position, for any rank. Thread-safe. */
public interface BatchFeed {

    /**
     * The number of batches that a run must be able to have at once: those of consumers, and one that is being filled.
     */
    int SLOTS = 4;

    /** The number of ranks: 1 if every consumer gets all batches. */
    int ranks();

    /** The position of a consumer without a token. */
    Position start();

    /**
     * A run of one rank. The same rank and position always give the same batches.
     *
     * <p>Called on a thread that may block. At least {@value #SLOTS} batches must be able to be held at once.
     * @param rank   in {@code [0, ranks)}
     * @param from   the position it begins at
     * @param memory allocates what batches are stacked in, as for {@code Batches.allocator}
     */
    Flux<Batch> batches(int rank, Position from, IntFunction<ByteBuffer> memory);

    /** The batches of the same run by number, without loading anything. */
    BatchPlan numbered(int rank, Position from);

    /**
     * The first batch of a run alone, with the same bytes. It loads nothing else.
     * @param draws how many the batch has
     */
    Flux<Batch> batch(int rank, Position from, int draws, IntFunction<ByteBuffer> memory);

    /** What the bytes of batches depend on, by name: feeds with equal plans have equal batches. */
    Map<String, String> plan();

    /** The names of the classes that labels count, in their order; empty where they are not known. */
    List<String> classes();

    /** The token of a position. */
    String token(Position at);

    /**
     * The position of a token.
     * @throws IllegalArgumentException if it is no token or that of another run; its message is sent to the consumer
     */
    Position position(String token);
}
