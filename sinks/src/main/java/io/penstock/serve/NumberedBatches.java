package io.penstock.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.penstock.batch.BatchPlan;
import io.penstock.cache.Fingerprint;
import io.penstock.order.Position;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Batches by number, counted from a position on. Every server of a plan makes the same ones, so a consumer may take
 * each from another server.
 */
final class NumberedBatches {

    private final BatchFeed feed;
    private final Hubs hubs;
    private final Map<String, String> plan;
    private final String fingerprint;
    private final SpareMemory memory = new SpareMemory();

    NumberedBatches(BatchFeed feed, Hubs hubs) {
        this.feed = feed;
        this.hubs = hubs;
        this.plan = new TreeMap<>(feed.plan());
        this.fingerprint = Fingerprint.of(plan.toString()).hex();
    }

    /** What a consumer must know to count batches: the plan, and how many there are behind its position. */
    ObjectNode plan(Request asked, Position from) {
        BatchPlan batches = feed.numbered(rank(asked), from);
        ObjectNode json = JsonAnswers.object()
                .put("fingerprint", fingerprint)
                .put("ranks", feed.ranks())
                .put("resume", feed.token(from))
                .put("count", batches.count())
                .put("at", from.epoch())
                .put("left", batches.count(from.epoch()))
                .put("epoch", batches.count(from.epoch() + 1));
        ObjectNode words = json.putObject("plan");
        plan.forEach(words::put);
        ArrayNode classes = json.putArray("classes");
        feed.classes().forEach(classes::add);
        return json;
    }

    /** @throws Request.Refused if the consumer has another plan */
    void requirePlan(Request asked) {
        if (asked.plan() != null && !asked.plan().equals(fingerprint)) {
            throw new Request.Refused(HttpResponseStatus.CONFLICT, "this server has another plan: see /plan");
        }
    }

    /** The consumer of one batch. */
    Cursor begin(Request asked, Position from) {
        int rank = rank(asked);
        long number = Objects.requireNonNull(asked.batch());
        BatchPlan batches = feed.numbered(rank, from);
        if (number >= batches.count()) {
            throw new Request.Refused(
                    HttpResponseStatus.BAD_REQUEST,
                    "batch must be in [0, %d), was %d".formatted(batches.count(), number));
        }
        Position start = batches.position(number);
        int draws = batches.draws(number).size();
        return hubs.alone(rank, start, memory.lend(allocator -> feed.batch(rank, start, draws, allocator)));
    }

    private int rank(Request asked) {
        Integer rank = asked.rank();
        if (rank == null && feed.ranks() > 1) {
            throw new Request.Refused(
                    HttpResponseStatus.BAD_REQUEST, "say which of the %d ranks: rank=R".formatted(feed.ranks()));
        }
        return rank == null ? 0 : rank;
    }
}
