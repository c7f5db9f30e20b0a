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

class ProvenanceTest {

    private static final Schema<Tensor> VALUE = Schema.tensor("value");
    private static final List<String> STATE = List.of("in /data", "size 5", "modified today", "label 3", "and more");

    @Test
    void changedSince_anotherState_namesTheWordsThatDiffer() {
        Provenance now = Provenance.of("cat/1.jpg", STATE, 7);

        assertThat(now.changedSince(Provenance.of("cat/1.jpg", STATE, 7), STATE))
                .isEmpty();
        assertThat(now.changedSince(provenance("in /data", "size 6", "modified today", "label 3", "and more"), STATE))
                .containsExactly("size 5");
        assertThat(now.changedSince(provenance("in /else", "size 5", "modified before", "label 3", "and more"), STATE))
                .containsExactly("in /data", "modified today");
        assertThat(now.changedSince(provenance("in /data", "size 5", "modified today", "label 3", "and less"), STATE))
                .containsExactly("label 3", "and more");
        assertThat(now.changedSince(provenance(), STATE)).isEqualTo(STATE);
    }

    @Test
    void isOfSameSample_anotherStateOrFilling_isStillTheSample() {
        Provenance now = Provenance.of("cat/1.jpg", STATE, 7);

        assertThat(now.isOfSameSample(Provenance.of("cat/1.jpg", List.of(), 8))).isTrue();
        assertThat(now.isOfSameSample(Provenance.of("cat/2.jpg", STATE, 7))).isFalse();
        assertThat(Provenance.UNKNOWN.isOfSameSample(Provenance.UNKNOWN)).isFalse();
    }

    @Test
    void filling_ofStages_tellsSourceFromStages() {
        FakeDataset source = FakeDataset.immediate(3);
        Dataset<Tensor> staged =
                source.map("decode", value -> value).slice(0, 2).map("resize", value -> value);

        assertThat(Dataset.producer(staged, VALUE).stages()).containsExactly("map decode", "map resize");
        assertThat(Dataset.producer(source.map("decode", value -> value), VALUE))
                .isEqualTo(new Producer(List.of("fake", "3"), List.of("map decode"), VALUE.id()));
        assertThat(Dataset.producer(source, VALUE).stages()).isEmpty();
    }

    @Test
    void id_ofOtherWords_differs() {
        Producer producer = new Producer(List.of("a"), List.of("b"), "c");

        assertThat(producer.id()).isEqualTo(new Producer(List.of("a"), List.of("b"), "c").id());
        assertThat(producer.id())
                .isNotEqualTo(new Producer(List.of("a", "b"), List.of(), "c").id())
                .isNotEqualTo(new Producer(List.of("a"), List.of("b"), "d").id());
    }

    @Test
    void cache_intoATierThatListens_saysWhereEachValueCameFrom() {
        Listening tier = new Listening();
        Dataset<Tensor> cached = FakeDataset.immediate(3)
                .map("decode", value -> value)
                .cache(Cache.of(new FakeTier("ram"), tier), VALUE);

        cached.stream(Sampler.sequential()).blockLast();

        int id = tier.producers.get(0).id();
        assertThat(tier.producers).hasSize(1);
        assertThat(tier.provenances)
                .containsExactly(
                        Provenance.of("#0", List.of("fake", "3"), id),
                        Provenance.of("#1", List.of("fake", "3"), id),
                        Provenance.of("#2", List.of("fake", "3"), id));
    }

    private static Provenance provenance(String... state) {
        return Provenance.of("cat/1.jpg", List.of(state), 7);
    }

    private static final class Listening extends FakeTier implements ProvenanceTier {

        final List<Producer> producers = new ArrayList<>();
        final List<Provenance> provenances = new ArrayList<>();

        Listening() {
            super("disk");
        }

        @Override
        public void producedBy(Producer producer) {
            producers.add(producer);
        }

        @Override
        public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
            provenances.add(about.provenance());
            return super.put(key, value, about);
        }
    }
}
