package io.penstock.pipeline;

import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Finds the last stage of a dataset that gives different results for one and the same input. Only the end of a chain
 * can be compared, as bytes. So each stage runs again together with all that follow it, the last stage first.
 */
final class NondeterministicStage {

    /** How often a stage runs again before it counts as deterministic. */
    private static final int AGAIN = 3;

    private NondeterministicStage() {}

    /**
     * The stage's name; empty if none was found.
     * @param encode what follows the dataset, down to bytes
     */
    static <T> Mono<String> of(Stage<T> stage, Draw draw, Function<? super T, ByteBuffer> encode) {
        if (stage instanceof MappedDataset<?, T> mapped) {
            return ofMapped(mapped, draw, encode);
        }
        if (stage instanceof SelectedDataset<T> selected) {
            return of(selected.input, selected.inInput(draw), encode);
        }
        if (stage instanceof ConcatDataset<T> concat) {
            return of(concat.stageOf(draw), concat.inPart(draw), encode);
        }
        if (stage instanceof CachedDataset<T> cached) {
            return of(cached.input, draw, encode); // what tiers hold does not change; what is above them may
        }
        if (stage instanceof ZippedDataset<?, ?> zipped) {
            return ofZipped(zipped, draw, encode);
        }
        if (stage instanceof GroupedDataset<?> grouped) {
            return ofGrouped(grouped, draw, encode);
        }
        return stage.load(draw)
                .map(Thrown.function(encode))
                .repeat(AGAIN)
                .distinct()
                .skip(1)
                .next()
                .map(other -> Source.STAGE);
    }

    private static <A, T> Mono<String> ofMapped(
            MappedDataset<A, T> mapped, Draw draw, Function<? super T, ByteBuffer> encode) {
        return mapped.input
                .load(draw)
                .mapNotNull(Thrown.function(value -> ofFunction(mapped.function, value, draw, encode)))
                .switchIfEmpty(of(mapped.input, draw, value -> encode.apply(mapped.function.apply(value, draw))));
    }

    @SuppressWarnings("unchecked") // a zipped dataset is one of pairs
    private static <A, B, T> Mono<String> ofZipped(
            ZippedDataset<A, B> zipped, Draw draw, Function<? super T, ByteBuffer> encode) {
        Function<ZippedDataset.Pair<A, B>, ByteBuffer> pair = (Function<ZippedDataset.Pair<A, B>, ByteBuffer>) encode;
        return zipped.right
                .load(draw)
                .flatMap(b -> of(zipped.left, draw, a -> pair.apply(new ZippedDataset.Pair<>(a, b))))
                .switchIfEmpty(zipped.left
                        .load(draw)
                        .flatMap(a -> of(zipped.right, draw, b -> pair.apply(new ZippedDataset.Pair<>(a, b)))));
    }

    @SuppressWarnings("unchecked") // a grouped dataset is one of groups
    private static <A, T> Mono<String> ofGrouped(
            GroupedDataset<A> grouped, Draw draw, Function<? super T, ByteBuffer> encode) {
        Function<Group<A>, ByteBuffer> ofGroup = (Function<Group<A>, ByteBuffer>) encode;
        Draw[] members = grouped.inInput.apply(draw);
        return grouped.load(draw)
                .flatMap(group -> Flux.range(0, members.length)
                        .concatMap(i -> of(grouped.input, members[i], (A sample) -> {
                            List<A> samples = new ArrayList<>(group.samples());
                            samples.set(i, sample);
                            return ofGroup.apply(new Group<>(group.number(), samples));
                        }))
                        .next());
    }

    private static <A, B> @Nullable String ofFunction(
            StageFunction<A, B> function, A input, Draw draw, Function<? super B, ByteBuffer> encode) {
        if (function instanceof StageFunction.Chain<A, ?, B> chain) {
            return ofChain(chain, input, draw, encode);
        }
        ByteBuffer once = encode.apply(function.apply(input, draw));
        for (int again = 0; again < AGAIN; again++) {
            if (!encode.apply(function.apply(input, draw)).equals(once)) {
                return ((StageFunction.Named<A, B>) function).stage;
            }
        }
        return null;
    }

    private static <A, B, C> @Nullable String ofChain(
            StageFunction.Chain<A, B, C> chain, A input, Draw draw, Function<? super C, ByteBuffer> encode) {
        String found = ofFunction(chain.second(), chain.first().apply(input, draw), draw, encode);
        return found != null
                ? found
                : ofFunction(
                        chain.first(),
                        input,
                        draw,
                        between -> encode.apply(chain.second().apply(between, draw)));
    }
}
