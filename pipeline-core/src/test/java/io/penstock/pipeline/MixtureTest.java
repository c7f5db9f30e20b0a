package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Cache;
import io.penstock.fault.SampleException;
import io.penstock.order.Exhausted;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.resume.ResumeToken;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** A mixture is an order over a concatenation: what works on datasets works on it. */
class MixtureTest {

    private static final Schema<Tensor> VALUE = Schema.tensor("value");

    /** Samples whose values tell the source. */
    private static Dataset<Tensor> source(FakeDataset dataset, int number) {
        return dataset.map("source " + number, value -> Tensor.scalar(1_000L * number + value.longAt(0)));
    }

    private static List<Long> values(Pipeline<Tensor> pipeline, Sampler sampler) {
        return pipeline.stream(sampler)
                .map(sample -> sample.isPresent() ? sample.value().longAt(0) : -1)
                .collectList()
                .block();
    }

    @Test
    void stream_ofTwoSources_alternatesByTheirWeights() {
        Mixture<Tensor> mixture =
                Mixture.of(source(FakeDataset.jittery(100), 0), 2).and(source(FakeDataset.jittery(100), 1), 1);

        List<Long> values = values(mixture.dataset(), mixture.sampler(Sampler.shuffled(42)));

        assertThat(values).hasSize(150).doesNotHaveDuplicates();
        for (int from = 0; from < 150; from += 3) {
            assertThat(values.subList(from, from + 3).stream().filter(value -> value < 1_000))
                    .hasSize(2);
        }
    }

    @Test
    void statistics_ofTheParts_areToldApart() {
        Mixture<Tensor> mixture =
                Mixture.of(source(FakeDataset.immediate(30), 0), 0.75).and(source(FakeDataset.immediate(10), 1), 0.25);
        Dataset<Tensor> dataset = mixture.dataset().map("same", value -> value);

        values(dataset, mixture.sampler(Sampler.shuffled(42)));

        RunStatistics statistics = dataset.statistics(0);
        assertThat(statistics.loads()).isEqualTo(40);
        assertThat(statistics.stages().stream().map(stage -> stage.name() + " " + stage.samples()))
                .containsExactly(
                        "part 0: load 30", "part 0: source 0 30", "part 1: load 10", "part 1: source 1 10", "same 40");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void statistics_ofACacheBelowOrAboveTheMixture_areThoseOfEachSource(boolean above) {
        Cache cache = Cache.of(new FakeTier("ram"));
        Dataset<Tensor> first = source(FakeDataset.jittery(30), 0);
        Dataset<Tensor> second = source(FakeDataset.immediate(10), 1);
        Mixture<Tensor> mixture = above
                ? Mixture.of(first, 0.75).and(second, 0.25)
                : Mixture.of(first.cache(cache, VALUE), 0.75).and(second.cache(cache, VALUE), 0.25);
        Dataset<Tensor> dataset = mixture.dataset().selectIf("none of the last", index -> index < 39);
        dataset = above ? dataset.cache(cache, VALUE) : dataset;

        for (int epoch = 0; epoch < 3; epoch++) {
            dataset.stream(Sampler.shuffled(42).epoch(epoch)).blockLast();
        }

        assertThat(dataset.statistics(0).parts())
                .containsExactly(
                        new RunStatistics.OfPart(30, Map.of("ram", 0L), 30),
                        new RunStatistics.OfPart(9, Map.of("ram", 0L), 9));
        assertThat(dataset.statistics().parts())
                .containsExactly(
                        new RunStatistics.OfPart(30, Map.of("ram", 60L), 30),
                        new RunStatistics.OfPart(9, Map.of("ram", 18L), 9));
        assertThat(dataset.statistics().hits()).containsExactly(Map.entry("ram", 78L));
    }

    @Test
    void caches_belowAndAboveTheMixture_loadEachSampleOnce() {
        FakeDataset first = FakeDataset.immediate(40);
        FakeDataset second = FakeDataset.immediate(5);
        FakeTier own = new FakeTier("own");
        FakeTier shared = new FakeTier("shared");
        Mixture<Tensor> mixture = Mixture.of(source(first, 0).cache(own, VALUE), 1)
                .and(source(second, 1), 1)
                .until(Exhausted.ALL);
        Dataset<Tensor> dataset = mixture.dataset().cache(Cache.of(shared), VALUE);

        List<Long> values =
                values(dataset, mixture.sampler(Sampler.shuffled(42)).epochs(3));

        assertThat(values).hasSize(3 * 79);
        assertThat(first.totalLoads()).isEqualTo(40);
        assertThat(second.totalLoads()).isEqualTo(5);
        assertThat(mixture.dataset().id(40).key())
                .isEqualTo(source(second, 1).id(0).key());
    }

    @Test
    void samples_thatFail_areQuarantinedOnceByTheirSource() {
        ConcurrentLinkedQueue<SampleException> failed = new ConcurrentLinkedQueue<>();
        Dataset<Tensor> broken = FakeDataset.answering(
                5,
                index -> index == 3 ? Mono.error(new IllegalStateException("torn")) : Mono.just(Tensor.scalar(index)));
        Mixture<Tensor> mixture =
                Mixture.of(FakeDataset.immediate(40), 1).and(broken, 1).until(Exhausted.ALL);

        List<Long> values = values(
                mixture.dataset().onError(ErrorPolicy.skip().quarantine(failed::add)),
                mixture.sampler(Sampler.shuffled(42)));

        assertThat(values.stream().filter(value -> value == -1)).hasSize(8);
        assertThat(failed).hasSize(1);
        assertThat(failed.element().index()).isEqualTo(3);
    }

    @Test
    void augment_ofASampleDrawnAgain_isAnother() {
        Mixture<Tensor> mixture = Mixture.of(FakeDataset.immediate(50), 1)
                .and(FakeDataset.immediate(1), 1)
                .until(Exhausted.ALL);
        Pipeline<Tensor> pipeline = mixture.dataset()
                .map("pick", value -> value)
                .augment("noise", (value, random) -> Tensor.scalar(random.nextLong()));

        List<Long> values = values(pipeline, mixture.sampler(Sampler.sequential()));

        assertThat(values).hasSizeBetween(99, 100).doesNotHaveDuplicates();
    }

    @Test
    void token_ofAMixture_keepsItsWeightsAndGoesOnWithOthers() {
        Dataset<Tensor> first = FakeDataset.immediate(100);
        Dataset<Tensor> second = FakeDataset.immediate(50);
        Mixture<Tensor> before = Mixture.of(first, 0.7).and(second, 0.3);
        Mixture<Tensor> after = Mixture.of(first, 0.5).and(second, 0.5);
        Sampler order = Sampler.shuffled(42).epochs(3);
        ResumeToken begun = ResumeToken.of(before.dataset(), before.sampler(order));

        ResumeToken token = ResumeToken.parse(begun.at(new Position(1, 20)).toString());
        Sampler same = token.resume(before.sampler(order).shard(Shard.of(1, 2)), before.dataset());
        Sampler changed = token.resume(after.sampler(order), after.dataset());
        ResumeToken later = ResumeToken.of(after.dataset(), changed).at(new Position(2, 7));
        Sampler again = ResumeToken.parse(later.toString()).resume(after.sampler(order), after.dataset());

        assertThat(token.toString()).contains("\"mixture\":\"7:3\"");
        assertThat(same.mixture()).contains("7:3");
        assertThat(changed.mixture()).contains("1:1 since epoch 1 offset 20 counts 114:49");
        assertThat(changed.samples(150)).isEqualTo(before.sampler(order).samples(150));
        assertThat(again.mixture()).isEqualTo(changed.mixture());
        assertThat(again.start()).isEqualTo(new Position(2, 7));
    }

    @Test
    void token_ofAnotherMixture_saysWhatDiffers() {
        Dataset<Tensor> first = FakeDataset.immediate(100);
        Dataset<Tensor> second = FakeDataset.immediate(50);
        Mixture<Tensor> mixture = Mixture.of(first, 0.7).and(second, 0.3);
        Sampler sampler = mixture.sampler(Sampler.shuffled(42));
        ResumeToken token = ResumeToken.of(mixture.dataset(), sampler);
        Mixture<Tensor> all = mixture.until(Exhausted.ALL);
        Mixture<Tensor> few = mixture.draws(10);
        Mixture<Tensor> many = mixture.draws(20);
        Mixture<Tensor> three = mixture.and(second, 1);
        String unchecked = token.toString().replaceFirst(",\"check\":\"[0-9a-f]{8}\"", "");

        assertThatThrownBy(() -> token.resume(Sampler.shuffled(42), mixture.dataset()))
                .hasMessageContaining("another order: mixture of 2 sources, each shuffled, until the first is exhausted"
                        + " there, shuffled here");
        assertThatThrownBy(
                        () -> token.resume(mixture.sampler(Sampler.sequential().seed(42)), mixture.dataset()))
                .hasMessageContaining("another order: mixture of 2 sources, each shuffled");
        assertThatThrownBy(() -> token.resume(all.sampler(Sampler.shuffled(42)), all.dataset()))
                .hasMessageContaining("until all are exhausted here");
        assertThatThrownBy(() -> token.resume(three.sampler(Sampler.shuffled(42)), three.dataset()))
                .hasMessageContaining("other data")
                .hasMessageContaining("mixture of 3 sources");
        assertThatThrownBy(() -> ResumeToken.of(few.dataset(), few.sampler(Sampler.shuffled(42)))
                        .resume(many.sampler(Sampler.shuffled(42)), many.dataset()))
                .hasMessageContaining("epochs of another size: 10 samples there, 20 here");
        assertThatThrownBy(
                        () -> ResumeToken.parse(unchecked.replace("7:3", "7:0")).resume(sampler, mixture.dataset()))
                .hasMessage("the mixture of the resume token is damaged: \"7:0\": a weight is 0");
        assertThatThrownBy(() -> ResumeToken.parse(unchecked.replace(",\"mixture\":\"7:3\"", ""))
                        .resume(sampler, mixture.dataset()))
                .hasMessage("the resume token is damaged: it has no weights of its mixture");
    }

    @Test
    void token_ofOtherSampleWeights_isRefused() {
        Dataset<Tensor> dataset = FakeDataset.immediate(3);
        ResumeToken token = ResumeToken.of(dataset, Sampler.weighted(1, 1, 2, 3));

        assertThat(token.resume(Sampler.weighted(1, 1, 2, 3), dataset).order()).startsWith("weighted by ");
        assertThatThrownBy(() -> token.resume(Sampler.weighted(1, 1, 2, 4), dataset))
                .hasMessageContaining("another order: weighted by ");
        assertThatThrownBy(() -> token.resume(Sampler.weighted(1, new double[] {1, 2, 3}, 4), dataset))
                .hasMessageContaining("epochs of another size: 3 samples there, 4 here");
    }

    @Test
    void mixture_ofUnlikeSchemas_namesBothSourcesAndTheirFields() {
        FakeDataset first = FakeDataset.immediate(40);
        FakeDataset second = FakeDataset.immediate(30);
        Dataset<Tensor> pixels = first.cache(new FakeTier("first"), Schema.tensor("pixels"));
        Dataset<Tensor> tokens = second.cache(new FakeTier("second"), Schema.tensor("tokens"));
        Mixture<Tensor> mixture = Mixture.<Tensor>of(source(first, 0), 1).and(pixels, 1);

        assertThatThrownBy(() -> mixture.and(tokens.slice(0, 10), 1))
                .hasMessage(
                        "sources 1 (%s) and 2 (%s) of a mixture do not go together: samples have the fields"
                                + " [pixels] in the first, [tokens] in the second; map them to one class before their caches",
                        first, second);
        assertThat(mixture.and(tokens.map("rename", value -> value), 1)
                        .dataset()
                        .size())
                .isEqualTo(110);
        assertThat(mixture.and(second.cache(new FakeTier("other"), Schema.tensor("pixels")), 1)
                        .dataset()
                        .size())
                .isEqualTo(110);
    }

    @Test
    void mixture_usedWrongly_isRefused() {
        Dataset<Tensor> dataset = FakeDataset.immediate(3);
        Mixture<Tensor> mixture = Mixture.of(dataset, 1).and(dataset, 1);

        assertThatThrownBy(() -> Mixture.of(dataset, 0))
                .hasMessage("weight of source 0 must be finite and more than 0, was 0.0");
        assertThatThrownBy(() -> mixture.and(FakeDataset.immediate(0), 1))
                .hasMessage("source 2 of a mixture must have samples, has 0");
        assertThatThrownBy(() -> dataset.stream(mixture.sampler(Sampler.shuffled(1))))
                .hasMessageContaining("this order mixes sources of 6 samples together, the dataset has 3");
    }
}
