package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draw;
import io.penstock.order.DrawnGroups;
import reactor.core.publisher.Mono;

/** Groups of a pipeline's samples, as {@link DrawnGroups} draws them: other ones in each epoch, so nothing to cache. */
final class GroupedPipeline<T> extends GroupStage<T> {

    private final DrawnGroups groups;

    GroupedPipeline(Stage<T> input, DrawnGroups groups) {
        super(input, Fingerprint.of(groups.words().toArray(String[]::new)));
        this.groups = groups;
    }

    @Override
    Draw[] inInput(Draw draw) {
        return groups.members(draw);
    }

    @Override
    public long size() {
        return groups.size();
    }

    /** A group is known by its number alone: its samples are those of its draw. */
    @Override
    public SampleId id(long index) {
        return SampleId.of(fingerprint(), index);
    }

    /** Which samples come next is not known by the numbers of groups. */
    @Override
    public Mono<Void> prefetch(long[] indices) {
        return Mono.empty();
    }

    @Override
    public String toString() {
        return input + "\n" + groups;
    }
}
