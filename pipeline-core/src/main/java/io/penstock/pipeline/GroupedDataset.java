package io.penstock.pipeline;

import io.penstock.cache.SampleKey;
import io.penstock.order.Draw;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;

/** Groups of a dataset's samples, as a {@link Grouping} plans them. */
final class GroupedDataset<T> extends GroupedPipeline<T> implements Dataset<Group<T>> {

    /** How many members a group's name says. */
    private static final int NAMED = 3;

    private final Grouping grouping;

    GroupedDataset(Stage<T> input, Grouping grouping) {
        this(input, grouping, grouping.size());
    }

    private GroupedDataset(Stage<T> input, Grouping grouping, long size) {
        super(
                input,
                grouping.fingerprint(),
                size,
                draw -> Arrays.stream(grouping.members(Objects.checkIndex(draw.index(), size)))
                        .mapToObj(draw::at)
                        .toArray(Draw[]::new),
                grouping);
        this.grouping = grouping;
    }

    private long[] members(long group) {
        return grouping.members(Objects.checkIndex(group, size()));
    }

    @Override
    public Mono<Void> prefetch(long[] indices) {
        return input.prefetch(Arrays.stream(indices)
                .flatMap(group -> Arrays.stream(members(group)))
                .toArray());
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
}
