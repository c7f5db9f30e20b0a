package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.internal.Begun;
import io.penstock.order.Draw;
import io.penstock.order.DrawnGroups;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Groups of a pipeline's samples, planned before anything is loaded: by {@link DrawnGroups} other ones in each epoch, so
 * nothing to cache. A group without one of its samples is absent.
 */
sealed class GroupedPipeline<T> extends Stage<Group<T>> permits GroupedDataset {

    /** How many samples of one group are waited for at once; a group may have thousands. */
    private static final int AT_ONCE = 16;

    final Stage<T> input;

    private final long size;

    /** The draws of the input that a draw is. */
    final Function<Draw, Draw[]> inInput;

    private final Object words;

    GroupedPipeline(Stage<T> input, DrawnGroups groups) {
        this(input, Fingerprint.of(groups.words().toArray(String[]::new)), groups.size(), groups::members, groups);
    }

    /** @param words say what the plan is */
    GroupedPipeline(Stage<T> input, Fingerprint plan, long size, Function<Draw, Draw[]> inInput, Object words) {
        super(input.fingerprint().with(plan), input);
        this.input = input;
        this.size = size;
        this.inInput = inInput;
        this.words = words;
    }

    @Override
    public long size() {
        return size;
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
    Object begin(Draw draw) {
        return joined(draw, Arrays.stream(inInput.apply(draw)).map(input::begin).toArray());
    }

    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        Draw[][] groups = Arrays.stream(draws).map(inInput).toArray(Draw[][]::new);
        Draw[] all = Arrays.stream(groups).flatMap(Arrays::stream).toArray(Draw[]::new);
        Object[] parts = new Object[all.length];
        input.beginAll(all, parts);
        int from = 0;
        for (int i = 0; i < draws.length; i++) {
            begun[i] = joined(draws[i], Arrays.copyOfRange(parts, from, from + groups[i].length));
            from += groups[i].length;
        }
    }

    /** What a group has begun: its first failure, nothing, its samples, or a {@code Mono} of them. */
    @SuppressWarnings("unchecked") // the input began them
    private static <T> Object joined(Draw draw, Object[] begun) {
        boolean absent = false;
        boolean late = false;
        for (Object part : begun) {
            if (part instanceof Begun.Failed) {
                return part;
            }
            absent |= part == Begun.ABSENT;
            late |= part instanceof Mono<?>;
        }
        if (absent) {
            return Begun.ABSENT;
        }
        if (!late) {
            return new Group<>(draw.index(), (List<T>) Arrays.asList(begun));
        }
        return Flux.fromArray(begun)
                .flatMapSequential(Begun::<T>toMono, AT_ONCE)
                .collectList()
                .filter(samples -> samples.size() == begun.length)
                .map(samples -> new Group<>(draw.index(), samples));
    }

    /** A group of its own begins its members together. */
    @Override
    int groupSize() {
        return 1;
    }

    /** One, since a group has samples of several. */
    @Override
    int parts() {
        return 1;
    }

    @Override
    int part(long group) {
        return 0;
    }

    @Override
    public String toString() {
        return input + "\n" + words;
    }
}
