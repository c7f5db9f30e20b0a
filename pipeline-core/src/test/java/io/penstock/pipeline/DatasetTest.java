package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Cache;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

class DatasetTest {

    private static List<Long> values(Pipeline<Tensor> pipeline) {
        return pipeline.stream(Sampler.sequential())
                .map(sample -> sample.value().longAt(0))
                .collectList()
                .block();
    }

    private static Tensor plus(Tensor value, long more) {
        return Tensor.scalar(value.longAt(0) + more);
    }

    @Test
    void map_twice_appliesBothInOrder() {
        Dataset<Tensor> mapped = FakeDataset.blocking(3)
                .map("times", v -> Tensor.scalar(v.longAt(0) * 10))
                .map("plus", v -> plus(v, 1));

        assertThat(values(mapped)).containsExactly(1L, 11L, 21L);
        assertThat(mapped.statistics(0).stages())
                .extracting(StageStatistics::name)
                .containsExactly("load", "times", "plus");
        assertThat(mapped.statistics(0).stages())
                .extracting(StageStatistics::samples)
                .containsOnly(3L);
    }

    @Test
    void map_stageReturnsNull_isAnErrorThatSaysSo() {
        StepVerifier.create(FakeDataset.immediate(1).map("oops", DatasetTest::nothing).stream(Sampler.sequential()))
                .expectErrorSatisfies(e -> assertThat(e).hasMessageContaining("the stage returned null"))
                .verify();
    }

    @SuppressWarnings("NullAway") // what a user's code without null checks may do
    private static Tensor nothing(Tensor value) {
        return null;
    }

    @Test
    void map_stageWithoutName_isRefused() {
        assertThatThrownBy(() -> FakeDataset.immediate(1).map(" ", v -> v))
                .hasMessage("a stage needs a name: it is part of the cache key");
    }

    @Test
    void slice_middle_renumbersAndKeepsKeys() {
        FakeDataset source = FakeDataset.blocking(10);

        Dataset<Tensor> middle = source.slice(4, 7);

        assertThat(values(middle)).containsExactly(4L, 5L, 6L);
        assertThat(middle.id(0).key()).isEqualTo(source.id(4).key());
        assertThat(middle.id(0).name()).isEqualTo("#4");
        assertThat(middle.fingerprint()).isNotEqualTo(source.slice(4, 8).fingerprint());
        assertThatThrownBy(() -> source.slice(4, 11)).isInstanceOf(IndexOutOfBoundsException.class);
        StepVerifier.create(middle.get(3))
                .expectError(IndexOutOfBoundsException.class)
                .verify();
    }

    @Test
    void zip_twoDatasets_pairsByIndex() {
        Dataset<Tensor> left = FakeDataset.blocking(4);
        Dataset<Tensor> right = FakeDataset.immediate(4).map("plus", v -> plus(v, 100));

        Dataset<Tensor> sum = left.zip("sum", right, (a, b) -> plus(a, b.longAt(0)));

        assertThat(values(sum)).containsExactly(100L, 102L, 104L, 106L);
        assertThat(sum.id(1).key()).isNotEqualTo(sum.id(2).key());
        assertThatThrownBy(() -> left.zip("sum", FakeDataset.immediate(5), (a, b) -> a))
                .hasMessage("cannot zip datasets of 4 and 5 samples; slice the longer");
    }

    @Test
    void load_sameDraw_hasTheSameValue() {
        Pipeline<Tensor> pipeline =
                FakeDataset.blocking(10).augment("dice", (v, random) -> plus(v, random.nextInt(1_000) * 10L));
        Draw draw = new Draw(7, 3, 5, Position.START);

        assertThat(pipeline.load(draw).block()).isEqualTo(pipeline.load(draw).block());
        assertThat(pipeline.load(draw).block())
                .isNotEqualTo(pipeline.load(new Draw(7, 4, 5, Position.START)).block());
    }

    @Test
    void toString_isThePlan() {
        Pipeline<Tensor> pipeline = FakeDataset.immediate(3)
                .map("decode", v -> v)
                .cache(Cache.of(new FakeTier("ram"), new FakeTier("disk")), io.penstock.tensor.Schema.tensor("v"))
                .augment("flip", (v, random) -> v)
                .onError(ErrorPolicy.skip());

        assertThat(pipeline.toString().lines().skip(1))
                .containsExactly("map \"decode\"", "cache [ram, disk]", "augment \"flip\"", "on error skip");
    }
}
