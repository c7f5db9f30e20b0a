package io.penstock.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.Grouping;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class LengthBucketsTest {

    private static int bucket(int length) {
        return length < 10 ? 0 : length < 20 ? 1 : 2;
    }

    @Property(tries = 200)
    void groups_ofAnyLengths_haveEachSequenceOnceWithOthersOfItsBucket(
            @ForAll @Size(min = 1, max = 80) List<@IntRange(min = 1, max = 40) Integer> drawn,
            @ForAll @IntRange(min = 1, max = 12) int n,
            @ForAll long seed) {
        int[] lengths = drawn.stream().mapToInt(length -> length).toArray();

        Grouping plan = LengthBuckets.of(n, 10, 20).seed(seed).plan(lengths);
        List<long[]> groups =
                LongStream.range(0, plan.size()).mapToObj(plan::members).toList();

        assertThat(groups).allSatisfy(group -> {
            assertThat(group).hasSizeBetween(1, n);
            assertThat(Arrays.stream(group)
                            .mapToInt(i -> bucket(lengths[(int) i]))
                            .distinct())
                    .hasSize(1);
        });
        assertThat(groups.stream().filter(group -> group.length < n)).hasSizeLessThanOrEqualTo(3);
        assertThat(groups.stream().flatMapToLong(Arrays::stream).sorted())
                .containsExactlyElementsOf(
                        LongStream.range(0, lengths.length).boxed().toList());
    }

    @Test
    void plan_dependsOnTheSeedAndTheBounds() {
        int[] lengths = Texts.lengths(1_000, 100, 5);
        Grouping plan = LengthBuckets.of(8, 10, 20).seed(1).plan(lengths);

        assertThat(LengthBuckets.of(8, 10, 20).seed(1).plan(lengths).members(3)).isEqualTo(plan.members(3));
        assertThat(LengthBuckets.of(8, 10, 20).seed(2).plan(lengths).fingerprint())
                .isNotEqualTo(plan.fingerprint());
        assertThat(LengthBuckets.of(8, 10, 21).seed(1).plan(lengths).fingerprint())
                .isNotEqualTo(plan.fingerprint());
        assertThat(plan).hasToString("%,d batches of 8 in 3 buckets from 1,000 sequences".formatted(plan.size()));
    }

    @Test
    void wrongUse_isRefused() {
        assertThatThrownBy(() -> LengthBuckets.of(0, 10)).hasMessage("a batch must have at least 1 sequence, was 0");
        assertThatThrownBy(() -> LengthBuckets.of(8, 10, 10))
                .hasMessage("the bounds of buckets must ascend from 1 on, were [10, 10]");
        assertThatThrownBy(() -> LengthBuckets.of(8))
                .hasMessage("buckets need a bound between them; without one, pad batches instead");
    }
}
