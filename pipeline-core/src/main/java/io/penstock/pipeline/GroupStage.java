package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.internal.Begun;
import io.penstock.order.Draw;
import java.util.Arrays;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Groups of a pipeline's samples, planned before anything is loaded. A group without one of its samples is absent. */
abstract class GroupStage<T> extends Stage<Group<T>> {

    /** How many samples of one group are waited for at once; a group may have thousands. */
    private static final int AT_ONCE = 16;

    final Stage<T> input;

    GroupStage(Stage<T> input, Fingerprint plan) {
        super(input.fingerprint().with(plan), input);
        this.input = input;
    }

    /** The draws of the input that this draw is. */
    abstract Draw[] inInput(Draw draw);

    @Override
    Object begin(Draw draw) {
        Draw[] members = inInput(draw);
        Object[] begun = new Object[members.length];
        for (int i = 0; i < members.length; i++) {
            begun[i] = input.begin(members[i]);
        }
        return joined(draw, begun);
    }

    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        Draw[][] members = new Draw[draws.length][];
        for (int i = 0; i < draws.length; i++) {
            members[i] = inInput(draws[i]);
        }
        Draw[] all = Arrays.stream(members).flatMap(Arrays::stream).toArray(Draw[]::new);
        Object[] parts = new Object[all.length];
        input.beginAll(all, parts);
        int from = 0;
        for (int i = 0; i < draws.length; i++) {
            begun[i] = joined(draws[i], Arrays.copyOfRange(parts, from, from + members[i].length));
            from += members[i].length;
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
}
