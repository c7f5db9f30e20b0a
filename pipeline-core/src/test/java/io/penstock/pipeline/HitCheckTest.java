package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Cache;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.HitCheck;
import io.penstock.fault.MismatchException;
import io.penstock.order.Sampler;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class HitCheckTest {

    private static final Schema<Tensor> VALUE = Schema.tensor("value");
    private static final Sampler TWO_EPOCHS = Sampler.shuffled(1).epochs(2);

    private final AtomicLong dice = new AtomicLong();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hits_thatLoadTheSameAgain_areCountedAndDelivered(boolean lateTier) {
        FakeTier tier = new FakeTier("ram");
        tier.late = lateTier;
        Dataset<Tensor> cached = plusOne(FakeDataset.blocking(100)).cache(Cache.of(tier), VALUE, HitCheck.ofShare(1));

        StepVerifier.create(cached.stream(Sampler.sequential().epochs(2)), 0)
                .expectSubscription()
                .thenRequest(100)
                .expectNextCount(100)
                .thenRequest(Long.MAX_VALUE)
                .thenConsumeWhile(
                        sample -> sample.value().longAt(0) == sample.draw().index() + 1)
                .verifyComplete();

        assertThat(cached.statistics(1).verified())
                .isEqualTo(cached.statistics(1).hits().get("ram"))
                .isEqualTo(cached.statistics(1).loads())
                .isPositive();
        assertThat(cached.statistics(1).differing()).isZero();
    }

    @Test
    void share_ofTheHits_isThatShareAndAlwaysTheSame() {
        FakeTier tier = new FakeTier("ram");
        values(plusOne(FakeDataset.immediate(10_000)).cache(tier, VALUE));
        FakeDataset source = FakeDataset.immediate(10_000);
        Dataset<Tensor> checked = plusOne(source).cache(Cache.of(tier), VALUE, HitCheck.ofShare(0.01));

        checked.stream(TWO_EPOCHS).blockLast();

        assertThat(checked.statistics(0).verified()).isBetween(60L, 140L);
        assertThat(checked.statistics(1).verified())
                .isEqualTo(checked.statistics(0).verified());
        int twice = 0;
        for (int i = 0; i < 10_000; i++) {
            assertThat(source.loads.get(i)).isIn(0, 2);
            twice += source.loads.get(i) / 2;
        }
        assertThat(twice).isEqualTo((int) checked.statistics(0).verified());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stage_thatRollsDice_isNamed(boolean lateTier) {
        FakeTier tier = new FakeTier("ram");
        Function<Dataset<Tensor>, Dataset<Tensor>> staged = source -> plusOne(source)
                .map("noise", value -> Tensor.scalar(value.longAt(0) * 1000 + dice.incrementAndGet()))
                .map("halve", value -> Tensor.scalar(value.longAt(0) * 2));
        values(staged.apply(FakeDataset.blocking(3)).cache(tier, VALUE));
        tier.late = lateTier;

        StepVerifier.create(
                        staged.apply(FakeDataset.blocking(3)).cache(Cache.of(tier), VALUE, HitCheck.ofShare(1)).stream(
                                Sampler.sequential()))
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(MismatchException.class)
                        .hasMessage("the cache holds another value of sample 0: #0 than loading it again gives: "
                                + "stage \"noise\" is not deterministic: it gives different results for one and the "
                                + "same sample; make it depend on its input alone, or roll its dice behind the cache "
                                + "with augment"))
                .verify();
    }

    @Test
    void source_thatGivesSomethingElseEachTime_isNamed() {
        FakeTier tier = new FakeTier("ram");
        FakeDataset source =
                FakeDataset.answering(3, index -> Mono.fromSupplier(() -> Tensor.scalar(dice.incrementAndGet())));
        values(plusOne(source).cache(tier, VALUE));

        assertThatThrownBy(() -> values(plusOne(source).cache(Cache.of(tier), VALUE, HitCheck.ofShare(1))))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("stage \"load\" is not deterministic");
    }

    @Test
    void stage_belowAZipSliceAndInnerCache_isNamed() {
        FakeTier outer = new FakeTier("ram");
        FakeTier inner = new FakeTier("ram");
        Dataset<Tensor> noisy = FakeDataset.blocking(5)
                .map("noise", value -> Tensor.scalar(dice.incrementAndGet()))
                .slice(1, 4);
        Dataset<Tensor> zipped = FakeDataset.immediate(3)
                .zip("sum", noisy, (a, b) -> Tensor.scalar(a.longAt(0) + b.longAt(0)))
                .cache(inner, VALUE)
                .map("again", value -> value);
        values(zipped.cache(outer, VALUE));
        inner.held.clear();

        assertThatThrownBy(() -> values(zipped.cache(Cache.of(outer), VALUE, HitCheck.ofShare(1))))
                .hasMessageContaining("stage \"noise\" is not deterministic");
    }

    @Test
    void stage_ofAGroupsMember_isNamed() {
        FakeTier tier = new FakeTier("ram");
        Dataset<Tensor> sums = FakeDataset.blocking(5)
                .map("noise", value -> Tensor.scalar(dice.incrementAndGet()))
                .group(new Neighbours(5))
                .map(
                        "sum",
                        group -> Tensor.scalar(group.samples().get(0).longAt(0)
                                + group.samples().get(1).longAt(0)));
        values(sums.cache(tier, VALUE));

        assertThatThrownBy(() -> values(sums.cache(Cache.of(tier), VALUE, HitCheck.ofShare(1))))
                .hasMessageContaining("stage \"noise\" is not deterministic");
    }

    /** Each sample with the next one. */
    private record Neighbours(long samples) implements Grouping {

        @Override
        public long size() {
            return samples - 1;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("neighbours");
        }

        @Override
        public long[] members(long group) {
            return new long[] {group, group + 1};
        }
    }

    @Test
    void stage_thatChangedAndKeptItsName_isSaidToHave() {
        FakeTier tier = new FakeTier("ram");
        values(plusOne(FakeDataset.blocking(3)).cache(tier, VALUE));
        Dataset<Tensor> changed = FakeDataset.blocking(3).map("plus", value -> Tensor.scalar(value.longAt(0) + 2));

        assertThatThrownBy(() -> values(changed.cache(Cache.of(tier), VALUE, HitCheck.ofShare(1))))
                .hasMessageContaining("sample 0: #0")
                .hasMessageContaining("every load now gives the same, so the source or one of the stages [map plus] "
                        + "has changed and kept its name");
    }

    @Test
    void warning_ofDifferences_countsThemAndDeliversWhatIsHeld() {
        FakeTier tier = new FakeTier("ram");
        values(plusOne(FakeDataset.blocking(30)).cache(tier, VALUE));
        Dataset<Tensor> changed = FakeDataset.blocking(30)
                .map("plus", value -> Tensor.scalar(value.longAt(0) + (value.longAt(0) < 10 ? 2 : 1)))
                .cache(Cache.of(tier), VALUE, HitCheck.ofShare(1).warning());

        StepVerifier.create(changed.stream(Sampler.sequential()), 0)
                .thenRequest(Long.MAX_VALUE)
                .thenConsumeWhile(
                        sample -> sample.value().longAt(0) == sample.draw().index() + 1)
                .verifyComplete();

        assertThat(changed.statistics(0).verified()).isEqualTo(30);
        assertThat(changed.statistics(0).differing()).isEqualTo(10);
    }

    @Test
    void damagedEntry_isAMissAndNoDifference() {
        FakeTier tier = new FakeTier("ram");
        values(plusOne(FakeDataset.blocking(3)).cache(tier, VALUE));
        tier.held.replaceAll((key, bytes) -> ByteBuffer.wrap(new byte[] {1, 2, 3}));
        Dataset<Tensor> checked = plusOne(FakeDataset.blocking(3)).cache(Cache.of(tier), VALUE, HitCheck.ofShare(1));

        values(checked);

        assertThat(checked.statistics(0).hits()).isEqualTo(Map.of("ram", 0L));
        assertThat(checked.statistics(0).verified()).isZero();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.1, 1.01, Double.NaN})
    void share_outsideOfItsRange_isRefused(double share) {
        assertThatThrownBy(() -> HitCheck.ofShare(share))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the share of hits to check must be in (0, 1]");
    }

    private static Dataset<Tensor> plusOne(Dataset<Tensor> source) {
        return source.map("plus", value -> Tensor.scalar(value.longAt(0) + 1));
    }

    private static void values(Dataset<Tensor> dataset) {
        dataset.stream(Sampler.sequential()).blockLast();
    }
}
