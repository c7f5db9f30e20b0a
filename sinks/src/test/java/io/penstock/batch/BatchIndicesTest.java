package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Mixture;
import io.penstock.pipeline.Pipeline;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class BatchIndicesTest {

    private static final Sampler SHUFFLED = Sampler.shuffled(5);

    private static List<Long> longs(Tensor tensor) {
        return LongStream.range(0, tensor.shape().elements())
                .map(i -> tensor.longAt((int) i))
                .boxed()
                .toList();
    }

    /** The indices of all rows; checks that each is the number that the row was made of. */
    private static List<Long> indices(Flux<Batch> batches) {
        List<Long> all = new ArrayList<>();
        batches.doOnNext(batch -> {
                    try (batch) {
                        List<Long> indices = longs(batch.tensor("index"));
                        assertThat(batch.names()).contains("id", "xy", "index");
                        assertThat(indices.subList(0, batch.size()))
                                .isEqualTo(longs(batch.tensor("id")).subList(0, batch.size()));
                        assertThat(indices.subList(batch.size(), indices.size()))
                                .allMatch(index -> index == -1);
                        all.addAll(indices);
                    }
                })
                .blockLast();
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"stacked", "padded", "buckets", "masked"})
    void everyRow_hasTheIndexOfItsSample(String kind) {
        UnaryOperator<Batches<Points.Point>> how = switch (kind) {
            case "padded" -> Batches::padShapes;
            case "buckets" -> batches -> batches.bucketByLength(Points.Point::id, 5, 9);
            case "masked" -> batches -> batches.remainder(Remainder.PAD);
            default -> batches -> batches;
        };
        Batches<Points.Point> batches = how.apply(Batches.of(4, Points.SCHEMA).withIndices());
        Pipeline<Points.Point> points = Points.jittery(14).skipping(Set.of(3L));

        List<Long> seen = indices(points.stream(SHUFFLED.epochs(3)).transform(batches));

        List<Long> real = seen.stream().filter(index -> index >= 0).toList();
        assertThat(real).hasSize(39).doesNotContain(3L);
        assertThat(Set.copyOf(real)).hasSize(13);
        assertThat(Collections.frequency(seen, -1L)).isEqualTo(kind.equals("masked") ? 9 : 0);
    }

    @Test
    void unorderedAndOfARank_everyRowHasItsIndex() {
        Flux<Batch> unordered = Points.jittery(30).stream(
                        SHUFFLED.shard(Shard.of(1, 2)), Execution.standard().window(8))
                .transform(Batches.of(4, Points.SCHEMA).withIndices());

        assertThat(indices(unordered)).hasSize(15).doesNotHaveDuplicates();
    }

    @Test
    void mixture_indicesNameItsSamples() {
        Mixture<Tensor> mixture = Mixture.of(numbers("a", 4), 0.5).and(numbers("b", 4), 0.5);
        Pipeline<Tensor> mixed = mixture.dataset();
        List<String> names = new ArrayList<>();

        mixed.stream(mixture.sampler(SHUFFLED))
                .transform(Batches.of(5, Schema.tensor("value")).withIndices())
                .doOnNext(batch -> {
                    List<Long> values = longs(batch.tensor("value"));
                    List<Long> indices = longs(batch.tensor("index"));
                    for (int row = 0; row < values.size(); row++) {
                        assertThat(values.get(row)).isEqualTo(indices.get(row) % 4);
                    }
                    indices.forEach(index -> names.add(mixed.name(index)));
                    batch.close();
                })
                .blockLast();

        assertThat(names).hasSizeGreaterThan(3);
    }

    private static MadeDataset<Tensor> numbers(String name, int size) {
        return new MadeDataset<>(name, size, index -> Mono.just(Tensor.scalar(index)));
    }

    @Test
    void fieldOfThatName_isRefused() {
        assertThatThrownBy(() -> Batches.of(5, Schema.tensor("index")).withIndices())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is a field of that name; rename it: [index]");
    }

    @Test
    void groups_areRefused() {
        assertThatThrownBy(() -> Batches.ofGroups(Points.SCHEMA).withIndices())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("batches of groups have no indices");
        assertThat(Arrays.asList(Batches.of(2, Points.SCHEMA).withIndices().toString()))
                .containsExactly("batches of 2 [id, xy, index], keep the remainder, 3 slots");
    }
}
