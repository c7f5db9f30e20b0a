package io.penstock.cli.source;

import io.penstock.batch.Batches;
import io.penstock.digest.EpochDigest;
import io.penstock.digest.StreamDigest;
import io.penstock.order.Draw;
import io.penstock.pipeline.Group;
import io.penstock.pipeline.Grouping;
import io.penstock.pipeline.Pipeline;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;

/** The rows of batches that a sample becomes: one, or those of a planned group, which is a batch. */
public sealed interface SampleRows<T> {

    Schema<?> schema();

    /** Whether the pixels of samples have their channels first. */
    default boolean planes() {
        return false;
    }

    /** Batches of a number of draws. */
    Batches<T> batches(int draws);

    /** How many rows a sample becomes. */
    int count(T sample);

    /** The draws of the rows that a draw becomes, each of which has its own index. */
    Draw[] drawn(Draw draw);

    /** What messages call a row; the name of its sample unless it is one of a group. */
    String name(Draw row, Pipeline<?> pipeline);

    /** What a draw is of. */
    String noun();

    ReadAhead<T> readAhead(long bytes);

    /** A digest of nothing yet, over rows. */
    Digest<T> digest();

    /**
     * Digests of rows.
     *
     * @param observe adds the rows of a sample
     * @param epoch   what an epoch had up to now
     */
    record Digest<T>(Consumer<Sample<T>> observe, LongFunction<EpochDigest> epoch) {}

    record Single<T>(Schema<T> schema, boolean planes) implements SampleRows<T> {

        public Single(Schema<T> schema) {
            this(schema, false);
        }

        @Override
        public Batches<T> batches(int draws) {
            return Batches.of(draws, schema);
        }

        @Override
        public int count(T sample) {
            return 1;
        }

        @Override
        public Draw[] drawn(Draw draw) {
            return new Draw[] {draw};
        }

        @Override
        public String name(Draw row, Pipeline<?> pipeline) {
            return pipeline.name(row.index());
        }

        @Override
        public String noun() {
            return "sample";
        }

        @Override
        public ReadAhead<T> readAhead(long bytes) {
            return ReadAhead.ofBytes(bytes, schema);
        }

        @Override
        public Digest<T> digest() {
            StreamDigest<T> digest = StreamDigest.of(schema);
            return new Digest<>(digest::observe, digest::epoch);
        }
    }

    /**
     * A row for each member of a group, which a digest knows by its own index.
     *
     * @param members the draws of a group's
     * @param names   of members, by their indices
     */
    record Grouped<R>(Schema<R> schema, boolean planes, Function<Draw, Draw[]> members, LongFunction<String> names)
            implements SampleRows<Group<R>> {

        public Grouped(Schema<R> schema, Grouping plan, LongFunction<String> names) {
            this(
                    schema,
                    false,
                    draw -> Arrays.stream(plan.members(draw.index()))
                            .mapToObj(draw::at)
                            .toArray(Draw[]::new),
                    names);
        }

        @Override
        public Batches<Group<R>> batches(int draws) {
            return Batches.ofGroups(schema);
        }

        @Override
        public int count(Group<R> group) {
            return group.samples().size();
        }

        @Override
        public Draw[] drawn(Draw draw) {
            return members.apply(draw);
        }

        @Override
        public String name(Draw row, Pipeline<?> pipeline) {
            return names.apply(row.index());
        }

        @Override
        public String noun() {
            return "group";
        }

        @Override
        public ReadAhead<Group<R>> readAhead(long bytes) {
            ReadAhead<R> ofRows = ReadAhead.ofBytes(bytes, schema);
            return new ReadAhead<>(
                    bytes,
                    group -> group.samples().stream().mapToLong(ofRows.size()).sum());
        }

        @Override
        public Digest<Group<R>> digest() {
            StreamDigest<R> digest = StreamDigest.of(schema);
            return new Digest<>(sample -> observe(sample.draw(), sample.value(), digest), digest::epoch);
        }

        private void observe(Draw draw, Group<R> group, StreamDigest<R> digest) {
            Draw[] drawn = members.apply(draw);
            List<R> rows = group.samples();
            for (int i = 0; i < drawn.length; i++) {
                digest.observe(Sample.of(drawn[i], rows.get(i)));
            }
        }
    }
}
