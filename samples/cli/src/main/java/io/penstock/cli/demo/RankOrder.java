package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;

/**
 * Which samples the ranks of a run would draw next: what a process of its own would draw for each, from the same
 * position.
 */
final class RankOrder {

    private static final int STEPS = 6;

    private RankOrder() {}

    /**
     * The next samples of each rank in the epoch at a position, rank by rank. Ranks that the last step of an epoch has
     * no sample for have one less.
     * @param sampler of the whole order
     * @param size    of the data set
     */
    static void addTo(ObjectNode node, Sampler sampler, Position at, long size, int ranks) {
        ArrayNode rows = node.put("ranks", ranks)
                .put("epoch", at.epoch())
                .put("offset", at.offset())
                .putArray("next");
        for (int rank = 0; rank < ranks; rank++) {
            Draws draws = sampler.shard(Shard.of(rank, ranks)).resumeAt(at).draws(size);
            ArrayNode row = rows.addArray();
            long left = Math.min(STEPS, draws.count(at.epoch()));
            for (long step = 0; step < left; step++) {
                Draw draw = draws.at(step);
                if (!draw.isPadding()) {
                    row.add(draw.index());
                }
            }
        }
    }
}
