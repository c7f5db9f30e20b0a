package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SplitsTest {

    private static List<String> names(Dataset<Tensor> dataset) {
        return LongStream.range(0, dataset.size()).mapToObj(dataset::name).toList();
    }

    private static void assertPartition(int size, List<Dataset<Tensor>> parts) {
        assertThat(parts.stream().flatMap(part -> names(part).stream()))
                .hasSize(size)
                .doesNotHaveDuplicates();
        assertThat(parts.stream().map(Pipeline::fingerprint).distinct()).hasSize(parts.size());
    }

    @Test
    void split_manySamples_hasTheSharesAndIsAPartition() {
        FakeDataset source = FakeDataset.immediate(100_000);

        List<Dataset<Tensor>> parts = source.split(7, 0.8, 0.15, 0.05);

        assertPartition(100_000, parts);
        assertThat(parts.get(0).size() / 1000.0).isCloseTo(80, within(0.5));
        assertThat(parts.get(1).size() / 1000.0).isCloseTo(15, within(0.5));
        assertThat(parts.get(2).size() / 1000.0).isCloseTo(5, within(0.5));
    }

    @Test
    void split_moreSamples_leavesEveryOtherWhereItWas() {
        Set<String> before = Set.copyOf(
                names(FakeDataset.immediate(10_000).split(7, 0.8, 0.2).get(0)));

        List<String> after =
                names(FakeDataset.immediate(11_000).split(7, 0.8, 0.2).get(0));

        assertThat(after.stream().filter(name -> Integer.parseInt(name.substring(1)) < 10_000))
                .containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void split_otherSeed_isAnotherSplit() {
        FakeDataset source = FakeDataset.immediate(1000);

        assertThat(names(source.split(7, 0.5, 0.5).get(0)))
                .isEqualTo(names(source.split(7, 0.5, 0.5).get(0)))
                .isNotEqualTo(names(source.split(8, 0.5, 0.5).get(0)));
    }

    @Test
    void split_sharesOutOfRange_areRefused() {
        FakeDataset source = FakeDataset.immediate(10);

        assertThatThrownBy(() -> source.split(1, 0.8, 0.1))
                .hasMessage("the shares must add up to 1, were [0.8, 0.1]: 0.9 in all; name the rest as a share");
        assertThatThrownBy(() -> source.split(1, 0.7, 0.1, 0.1))
                .hasMessage("the shares must add up to 1, were [0.7, 0.1, 0.1]: 0.9 in all; name the rest as a share");
        assertThatThrownBy(() -> source.split(1, 1, 0)).hasMessage("a share must be in (0, 1], was 0.0");
        assertThatThrownBy(() -> source.split(1, Double.NaN, 1)).hasMessage("a share must be in (0, 1], was NaN");
        assertThatThrownBy(() -> source.split(1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> source.folds(1, 128))
                .hasMessage("a dataset is split into at most 127 parts, was asked for 128");
        assertThatThrownBy(() -> source.folds(1, 1)).hasMessage("there must be at least 2 folds, was 1");
    }

    @Test
    void stratified_classesOfAnySize_haveTheSharesEach() {
        FakeDataset source = FakeDataset.immediate(11_111);
        // classes of 1, 10, 100, 1,000 and 10,000 samples
        List<Dataset<Tensor>> parts =
                source.stratified(3, index -> Long.toString(index * 9 + 1).length(), 0.7, 0.3);

        Map<Integer, Integer> all = new HashMap<>();
        Map<Integer, Integer> first = new HashMap<>();
        assertPartition(11_111, parts);
        Stream.of(names(source)).forEach(names -> names.forEach(name -> count(all, name)));
        names(parts.get(0)).forEach(name -> count(first, name));
        all.forEach((label, count) ->
                assertThat((double) first.getOrDefault(label, 0)).isCloseTo(0.7 * count, within(1.0)));
    }

    private static void count(Map<Integer, Integer> counts, String name) {
        counts.merge(Long.toString(Long.parseLong(name.substring(1)) * 9 + 1).length(), 1, Integer::sum);
    }

    @Test
    void stratified_manyClassesOfOneSample_haveTheSharesTogether() {
        List<Dataset<Tensor>> parts = FakeDataset.immediate(10_000).stratified(3, index -> (int) index, 0.8, 0.2);

        assertThat(parts.get(0).size() / 100.0).isCloseTo(80, within(2.0));
    }

    @Test
    void folds_five_validateEachSampleOnce() {
        List<Dataset.Fold<Tensor>> folds = FakeDataset.immediate(1000).folds(1, 5);

        assertPartition(1000, folds.stream().map(Dataset.Fold::validation).toList());
        for (Dataset.Fold<Tensor> fold : folds) {
            assertPartition(1000, List.of(fold.training(), fold.validation()));
        }
        assertThat(folds.stream()
                        .map(Dataset.Fold::training)
                        .map(SplitsTest::names)
                        .collect(Collectors.toSet()))
                .hasSize(5);
    }
}
