package io.penstock.cli.stream;

import io.penstock.augment.Augment;
import io.penstock.augment.BoxMove;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.Listing;
import io.penstock.cli.source.SampleRows;
import io.penstock.order.Draw;
import io.penstock.order.DrawnGroups;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Group;
import io.penstock.pipeline.Grouping;
import io.penstock.pipeline.Pipeline;
import io.penstock.tensor.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A source with its stages on it.
 *
 * @param base     what goes into a cache
 * @param rows     that what it delivers becomes in batches
 * @param parts    the sources that lie one after another in what it delivers; none where it is one
 * @param pipeline all stages
 * @param dice     what is drawn for a sample, by the stage that draws it: of those behind which nothing can be cached
 */
public record Feed<T>(
        Cacheable<?> base,
        SampleRows<T> rows,
        List<Cacheable.Part> parts,
        Pipeline<T> pipeline,
        Map<String, Dice> dice) {

    /** The parameters that a random stage draws; it loads the sample only where they depend on its size. */
    @FunctionalInterface
    interface Dice {
        Mono<? extends Record> drawn(Draw draw);
    }

    /** What was drawn for a sample of several parts, and what its boxes became by it. */
    public record JointDraw(Augment.Parameters parameters, List<BoxMove> boxes) {}

    static <T> Feed<T> of(Cacheable<T> base, Pipeline<T> pipeline, Map<String, Dice> dice) {
        return of(base, pipeline, dice, false);
    }

    /** @param planes whether the pixels of samples have their channels first */
    static <T> Feed<T> of(Cacheable<T> base, Pipeline<T> pipeline, Map<String, Dice> dice, boolean planes) {
        return new Feed<>(base, new SampleRows.Single<>(base.schema(), planes), base.parts(), pipeline, dice);
    }

    /** What random stages draw. Blocks where a sample has to be loaded for it. */
    public Map<String, Record> dice(Draw draw) {
        Map<String, Record> drawn = new LinkedHashMap<>();
        dice.forEach((stage, each) -> each.drawn(draw).blockOptional().ifPresent(found -> drawn.put(stage, found)));
        return drawn;
    }

    /** The class of a row, where batches are drawn by classes; null elsewhere. */
    public @Nullable String label(Draw row) {
        Listing listing = base.listing();
        return listing == null || rows instanceof SampleRows.Single<?>
                ? null
                : listing.label().apply(row.index());
    }

    static <R> Feed<Group<R>> grouped(Cacheable<R> samples, Dataset<R> kept, Grouping plan) {
        return new Feed<>(
                samples,
                new SampleRows.Grouped<>(samples.schema(), plan, kept::name),
                List.of(),
                kept.group(plan),
                Map.of());
    }

    Feed<Group<T>> grouped(DrawnGroups groups, Schema<T> schema) {
        SampleRows<Group<T>> batches = new SampleRows.Grouped<>(schema, rows.planes(), groups::members, pipeline::name);
        return new Feed<>(base, batches, List.of(), pipeline.group(groups), dice);
    }
}
