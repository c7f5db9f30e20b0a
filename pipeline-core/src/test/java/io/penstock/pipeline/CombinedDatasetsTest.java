package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Cache;
import io.penstock.fault.SampleException;
import io.penstock.fault.StoreException;
import io.penstock.order.Sampler;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Datasets that are made of other datasets by index alone. */
class CombinedDatasetsTest {

    private static final Schema<Tensor> VALUE = Schema.tensor("value");

    private static List<Long> values(Pipeline<Tensor> pipeline) {
        return pipeline.stream(Sampler.sequential())
                .map(sample -> sample.value().longAt(0))
                .collectList()
                .block();
    }

    private static Dataset<Tensor> plus(int size, long more) {
        return FakeDataset.jittery(size).map("plus " + more, value -> Tensor.scalar(value.longAt(0) + more));
    }

    private static void assertNoIndex(Dataset<Tensor> dataset, long... indices) {
        for (long index : indices) {
            StepVerifier.create(dataset.get(index))
                    .expectError(IndexOutOfBoundsException.class)
                    .verify();
            assertThatThrownBy(() -> dataset.id(index)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void concat_threeParts_numbersOnAndKeepsKeys() {
        Dataset<Tensor> first = plus(3, 0);
        Dataset<Tensor> second = plus(70, 100);
        Dataset<Tensor> third = plus(2, 1000);

        Dataset<Tensor> all = Dataset.concat(first, second, third);

        assertThat(all.size()).isEqualTo(75);
        assertThat(values(all))
                .containsExactlyElementsOf(LongStream.concat(
                                LongStream.concat(LongStream.range(0, 3), LongStream.range(100, 170)),
                                LongStream.range(1000, 1002))
                        .boxed()
                        .toList());
        assertThat(all.id(3).key()).isEqualTo(second.id(0).key());
        assertThat(all.name(74)).isEqualTo("#1");
        assertNoIndex(all, -1, 75, Long.MAX_VALUE);
    }

    @Test
    void concat_partsWithoutSamples_takeNoIndex() {
        Dataset<Tensor> all = Dataset.concat(plus(0, 0), plus(2, 10), plus(0, 0), plus(0, 0), plus(1, 20), plus(0, 0));

        assertThat(values(all)).containsExactly(10L, 11L, 20L);
        assertNoIndex(all, 3);
    }

    @Test
    void concat_noPart_isRefused() {
        assertThatThrownBy(Dataset::concat).hasMessage("cannot concatenate no dataset; name one at least");
    }

    @Test
    void concat_otherPartsOrOrder_isAnotherPlan() {
        Dataset<Tensor> a = plus(3, 0);
        Dataset<Tensor> b = plus(3, 1);

        assertThat(Dataset.concat(a, b).fingerprint())
                .isEqualTo(Dataset.concat(a, b).fingerprint())
                .isNotEqualTo(Dataset.concat(b, a).fingerprint())
                .isNotEqualTo(Dataset.concat(a, Dataset.concat(b)).fingerprint());
    }

    @Test
    void concat_ofCachedParts_sharesTheirCacheAndHitsIt() {
        try (Cache cache = Cache.of(new FakeTier("tier"))) {
            Dataset<Tensor> first = FakeDataset.immediate(40).cache(cache, VALUE);
            Dataset<Tensor> all =
                    Dataset.concat(first, FakeDataset.immediate(30).cache(cache, VALUE));
            values(first);

            values(all);
            values(Dataset.concat(all).select(LongStream.range(0, 70).toArray()));

            assertThat(all.statistics().hits()).containsEntry("tier", 110L);
            assertThat(all.statistics().loads()).isEqualTo(70);
        }
    }

    @Test
    void onError_overConcat_countsSamplesOfOneIndexApart() {
        Dataset<Tensor> broken = FakeDataset.answering(2, index -> Mono.error(new StoreException("broken " + index)));
        List<SampleException> given = new CopyOnWriteArrayList<>();

        Pipeline<Tensor> skipping =
                Dataset.concat(broken, broken).onError(ErrorPolicy.skip().quarantine(given::add));
        skipping.stream(Sampler.sequential()).blockLast();

        assertThat(given).hasSize(4);
        StepVerifier.create(Dataset.concat(broken, broken)
                        .onError(ErrorPolicy.skip().budget(3))
                        .stream(Sampler.sequential()))
                .expectNextCount(3)
                .expectErrorMessage(
                        "error budget of 3 samples is used up: stage \"load\" failed on sample 1: #1: broken 1")
                .verify();
    }

    @Test
    void select_anyIndices_renumbersAndKeepsKeys() {
        FakeDataset source = FakeDataset.jittery(10);

        Dataset<Tensor> some = source.select(7, 2, 7);

        assertThat(values(some)).containsExactly(7L, 2L, 7L);
        assertThat(some.id(1).key()).isEqualTo(source.id(2).key());
        assertThat(some.fingerprint())
                .isEqualTo(source.select(7, 2, 7).fingerprint())
                .isNotEqualTo(source.select(7, 7, 2).fingerprint());
        assertNoIndex(some, -1, 3);
        assertThatThrownBy(() -> source.select(1, 10)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(values(source.select())).isEmpty();
    }
}
