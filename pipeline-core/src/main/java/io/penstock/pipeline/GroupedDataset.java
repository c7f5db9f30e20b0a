package io.penstock.pipeline;

import io.penstock.cache.SampleKey;
import io.penstock.internal.Begun;
import io.penstock.order.Draw;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Groups of a dataset's samples, as a {@link Grouping} plans them. A group without one of its samples is absent. */
final class GroupedDataset<T> extends Stage<Group<T>> implements Dataset<Group<T>> {

    /** How many samples of one group are waited for at once; a group may have thousands. */
    private static final int AT_ONCE = 16;

    /** How many members a group's name says. */
    private static final int NAMED = 3;

    final Stage<T> input;
    private final Grouping grouping;
    private final long size;

    GroupedDataset(Stage<T> input, Grouping grouping) {
        super(input.fingerprint().with(grouping.fingerprint()), input);
        this.input = input;
        this.grouping = grouping;
        this.size = grouping.size();
    }

    /** The draws of the input that this draw is. */
    Draw[] inInput(Draw draw) {
        return Arrays.stream(members(draw.index())).mapToObj(draw::at).toArray(Draw[]::new);
    }

    private long[] members(long group) {
        return grouping.members(Objects.checkIndex(group, size));
    }

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

    @Override
    public Mono<Void> prefetch(long[] indices) {
        return input.prefetch(Arrays.stream(indices)
                .flatMap(group -> Arrays.stream(members(group)))
                .toArray());
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
    public long size() {
        return size;
    }

    @Override
    public SampleId id(long index) {
        long[] members = members(index);
        SampleKey key = SampleKey.of(grouping.fingerprint()).with(index);
        for (long member : members) {
            key = key.with(input.id(member).key());
        }
        return SampleId.of(key, () -> name(members), () -> state(members));
    }

    private String name(long[] members) {
        String first = Arrays.stream(members)
                .limit(NAMED)
                .mapToObj(member -> input.id(member).name())
                .collect(Collectors.joining(" and "));
        return members.length <= NAMED ? first : "%s and %d more".formatted(first, members.length - NAMED);
    }

    private List<String> state(long[] members) {
        List<String> words = new ArrayList<>(grouping.fingerprint().words());
        for (long member : members) {
            words.addAll(input.id(member).state());
        }
        return words;
    }

    @Override
    public String toString() {
        return input + "\n" + grouping;
    }
}
