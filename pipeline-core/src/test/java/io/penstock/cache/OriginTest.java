package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.FakeDataset;
import io.penstock.pipeline.FakeTier;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class OriginTest {

    private static final Schema<Tensor> VALUE = Schema.tensor("value");
    private static final List<String> STATE = List.of("in /data", "size 5", "modified today", "label 3", "and more");

    @Test
    void changedSince_anotherState_namesTheWordsThatDiffer() {
        Origin now = Origin.of("cat/1.jpg", STATE, 7);

        assertThat(now.changedSince(Origin.of("cat/1.jpg", STATE, 7), STATE)).isEmpty();
        assertThat(now.changedSince(origin("in /data", "size 6", "modified today", "label 3", "and more"), STATE))
                .containsExactly("size 5");
        assertThat(now.changedSince(origin("in /else", "size 5", "modified before", "label 3", "and more"), STATE))
                .containsExactly("in /data", "modified today");
        assertThat(now.changedSince(origin("in /data", "size 5", "modified today", "label 3", "and less"), STATE))
                .containsExactly("label 3", "and more");
        assertThat(now.changedSince(origin(), STATE)).isEqualTo(STATE);
    }

    @Test
    void isOfSameSample_anotherStateOrFilling_isStillTheSample() {
        Origin now = Origin.of("cat/1.jpg", STATE, 7);

        assertThat(now.isOfSameSample(Origin.of("cat/1.jpg", List.of(), 8))).isTrue();
        assertThat(now.isOfSameSample(Origin.of("cat/2.jpg", STATE, 7))).isFalse();
        assertThat(Origin.UNKNOWN.isOfSameSample(Origin.UNKNOWN)).isFalse();
    }

    @Test
    void filling_ofStages_tellsSourceFromStages() {
        FakeDataset source = FakeDataset.immediate(3);
        Dataset<Tensor> staged =
                source.map("decode", value -> value).slice(0, 2).map("resize", value -> value);

        assertThat(Dataset.filling(staged, VALUE).stages()).containsExactly("map decode", "map resize");
        assertThat(Dataset.filling(source.map("decode", value -> value), VALUE))
                .isEqualTo(new Filling(List.of("fake", "3"), List.of("map decode"), VALUE.id()));
        assertThat(Dataset.filling(source, VALUE).stages()).isEmpty();
    }

    @Test
    void id_ofOtherWords_differs() {
        Filling filling = new Filling(List.of("a"), List.of("b"), "c");

        assertThat(filling.id()).isEqualTo(new Filling(List.of("a"), List.of("b"), "c").id());
        assertThat(filling.id())
                .isNotEqualTo(new Filling(List.of("a", "b"), List.of(), "c").id())
                .isNotEqualTo(new Filling(List.of("a"), List.of("b"), "d").id());
    }

    @Test
    void cache_intoATierThatListens_saysWhereEachValueCameFrom() {
        Listening tier = new Listening();
        Dataset<Tensor> cached =
                FakeDataset.immediate(3).map("decode", value -> value).cache(Cache.of(new FakeTier("ram"), tier), VALUE);

        cached.stream(Sampler.sequential()).blockLast();

        int id = tier.fillings.get(0).id();
        assertThat(tier.fillings).hasSize(1);
        assertThat(tier.origins)
                .containsExactly(
                        Origin.of("#0", List.of("fake", "3"), id),
                        Origin.of("#1", List.of("fake", "3"), id),
                        Origin.of("#2", List.of("fake", "3"), id));
    }

    private static Origin origin(String... state) {
        return Origin.of("cat/1.jpg", List.of(state), 7);
    }

    private static final class Listening extends FakeTier {

        final List<Filling> fillings = new ArrayList<>();
        final List<Origin> origins = new ArrayList<>();

        Listening() {
            super("disk");
        }

        @Override
        public boolean filledBy(Filling filling) {
            fillings.add(filling);
            return true;
        }

        @Override
        public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer) {
            origins.add(offer.origin());
            return super.put(key, value, offer);
        }
    }
}
