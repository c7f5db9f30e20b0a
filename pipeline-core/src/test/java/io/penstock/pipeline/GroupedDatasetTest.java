package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.SampleException;
import io.penstock.order.Sampler;
import io.penstock.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class GroupedDatasetTest {

    /** Groups that are listed. */
    private record Listed(List<List<Long>> groups) implements Grouping {

        @Override
        public long size() {
            return groups.size();
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("groups " + groups);
        }

        @Override
        public long[] members(long group) {
            return groups.get((int) group).stream().mapToLong(member -> member).toArray();
        }

        @Override
        public String toString() {
            return "listed groups";
        }
    }

    private static final Grouping GROUPS = new Listed(List.of(List.of(4L, 0L), List.of(), List.of(1L, 2L, 3L, 1L)));

    private static Dataset<String> grouped(Dataset<Tensor> dataset) {
        return dataset.group(GROUPS)
                .map(
                        "text",
                        group -> group.number()
                                + ":"
                                + group.samples().stream()
                                        .map(sample -> sample.longAt(0))
                                        .toList());
    }

    private static List<String> values(Dataset<String> dataset) {
        return dataset.stream(Sampler.sequential())
                .filter(sample -> sample.isPresent())
                .map(sample -> sample.value())
                .collectList()
                .block();
    }

    @Test
    void group_ofAnySource_hasItsMembersInOrder() {
        for (FakeDataset source : List.of(FakeDataset.immediate(5), FakeDataset.jittery(5), FakeDataset.blocking(5))) {
            Dataset<String> groups = grouped(source);

            assertThat(values(groups)).containsExactly("0:[4, 0]", "1:[]", "2:[1, 2, 3, 1]");
            assertThat(groups.get(2).block()).isEqualTo("2:[1, 2, 3, 1]");
            assertThat(groups.size()).isEqualTo(3);
            assertThat(source.totalLoads()).isEqualTo(10);
            assertThat(groups.statistics(0).stages())
                    .extracting(StageStatistics::name)
                    .containsExactly("load", "text");
        }
    }

    @Test
    void group_firstDemandZero_loadsNothing() {
        FakeDataset source = FakeDataset.blocking(5);

        StepVerifier.create(grouped(source).stream(Sampler.sequential()), 0)
                .expectSubscription()
                .then(() -> assertThat(source.totalLoads()).isZero())
                .thenRequest(3)
                .expectNextCount(3)
                .expectComplete()
                .verify();
    }

    @Test
    void group_withAFailingMember_failsWithItsName() {
        FakeDataset source = FakeDataset.answering(
                5,
                index ->
                        index == 3 ? Mono.error(new IllegalStateException("broken")) : Mono.just(Tensor.scalar(index)));

        StepVerifier.create(grouped(source).stream(Sampler.sequential()))
                .expectNextCount(2)
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(SampleException.class)
                        .hasMessageContaining("#3")
                        .hasMessageContaining("broken"))
                .verify();
        assertThatThrownBy(() -> grouped(source).get(2).block()).hasMessageContaining("broken");
    }

    @Test
    void group_withAnAbsentMember_isAbsent() {
        for (Mono<Tensor> nothing :
                List.of(Mono.<Tensor>empty(), Mono.<Tensor>empty().hide())) {
            FakeDataset source =
                    FakeDataset.answering(5, index -> index == 3 ? nothing : Mono.just(Tensor.scalar(index)));

            assertThat(values(grouped(source))).containsExactly("0:[4, 0]", "1:[]");
        }
    }

    @Test
    void id_ofAGroup_changesWithPlanAndNumberAndIsNamedByItsMembers() {
        Dataset<Tensor> source = FakeDataset.immediate(5);
        Dataset<Group<Tensor>> groups = source.group(GROUPS);
        Dataset<Group<Tensor>> others = source.group(new Listed(List.of(List.of(4L, 0L))));

        assertThat(groups.id(0).key()).isNotEqualTo(groups.id(2).key());
        assertThat(groups.id(0).key()).isNotEqualTo(others.id(0).key());
        assertThat(groups.id(0).key()).isEqualTo(source.group(GROUPS).id(0).key());
        assertThat(groups.id(0).name()).isEqualTo("#4 and #0");
        assertThat(groups.id(2).name()).isEqualTo("#1 and #2 and #3 and 1 more");
        assertThat(groups.fingerprint()).isNotEqualTo(others.fingerprint());
        assertThat(groups).hasToString(source + "\nlisted groups");
        assertThatThrownBy(() -> groups.get(3).block()).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
