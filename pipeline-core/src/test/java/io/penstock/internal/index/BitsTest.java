package io.penstock.internal.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.internal.Mixing;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class BitsTest {

    /** Whether an index is taken: one in {@code of}, in runs of {@code run}. */
    private static boolean taken(long index, long seed, int of, int run) {
        return taken(index, seed, of, run, 1);
    }

    private static boolean taken(long index, long seed, int of, int run, int step) {
        return Long.remainderUnsigned(Mixing.fold(seed, index / run), of) == 0 && index % run % step == 0;
    }

    @Property(tries = 200)
    void at_everyPlace_isTheIndexThatALoopFinds(
            @ForAll @LongRange(max = 70_000) long n,
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 5_000) int of,
            @ForAll @IntRange(min = 1, max = 3_000) int run,
            @ForAll @IntRange(min = 1, max = 200) int step) {
        long[] expected = LongStream.range(0, n)
                .filter(i -> taken(i, seed, of, run, step))
                .toArray();

        Bits bits = Bits.of(n, i -> taken(i, seed, of, run, step));

        for (Selection set : List.of(bits, bits.compact())) {
            assertThat(set.size()).isEqualTo(expected.length);
            assertThat(LongStream.range(0, set.size()).map(set::at).toArray()).isEqualTo(expected);
            long[] places = LongStream.range(0, set.size()).toArray();
            set.at(places);
            assertThat(places).isEqualTo(expected);
            for (long beyond : new long[] {-1, set.size(), Long.MAX_VALUE}) {
                assertThatThrownBy(() -> set.at(beyond)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> set.at(new long[] {beyond})).isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    @Property(tries = 100)
    void at_runsOfVeryDifferentLengths_isTheIndexThatALoopFinds(
            @ForAll @Size(min = 1, max = 300) List<@IntRange(min = 1, max = 12) Integer> lengths,
            @ForAll @IntRange(min = 1, max = 5) int step,
            @ForAll @LongRange(min = 1, max = 1L << 40) long gap) {
        long[] runs = new long[2 * lengths.size() + 2];
        LongStream.Builder expected = LongStream.builder();
        long begin = 0;
        for (int run = 0; run < lengths.size(); run++) {
            int length = 1 << lengths.get(run);
            long first = begin;
            LongStream.range(0, length).forEach(i -> expected.add(first + i * step));
            runs[2 * run + 1] = first;
            runs[2 * run + 2] = runs[2 * run] + length;
            begin += (length - 1L) * step + (run % 7 == 3 ? gap : 1);
            runs[2 * run + 3] = begin;
        }

        Runs set = new Runs(step, runs);

        long[] all = expected.build().toArray();
        long[] places = LongStream.range(0, set.size()).toArray();
        assertThat(LongStream.of(places).map(set::at).toArray()).isEqualTo(all);
        set.at(places);
        assertThat(places).isEqualTo(all);
    }

    @Test
    void compact_longRuns_areKeptAsRuns() {
        assertThat(Bits.of(100_000, index -> index % 1_000 < 970).compact()).isInstanceOf(Runs.class);
        assertThat(Bits.of(100_000, index -> index % 1_000 % 24 == 0).compact()).isInstanceOf(Runs.class);
        assertThat(Bits.of(100_000, index -> index % 100 < 70).compact()).isInstanceOf(Bits.class);
        assertThat(Bits.of(100, index -> index % 3 < 2).compact()).isInstanceOf(Bits.class);
    }

    @Property(tries = 200)
    void counted_anyCounts_areThePartsThatALoopFinds(
            @ForAll @Size(max = 300) List<@IntRange(max = 200) Integer> counts) {
        Bits.Builder builder = new Bits.Builder(true);
        List<String> expected = new ArrayList<>();
        for (int sample = 0; sample < counts.size(); sample++) {
            builder.count(counts.get(sample));
            for (int part = 0; part < counts.get(sample); part++) {
                expected.add(sample + "[" + part);
            }
        }

        Parts parts = new Parts.Counted(builder.build());

        assertThat(LongStream.range(0, parts.size())
                        .mapToObj(place -> parts.at(place) + "[" + parts.part(place))
                        .toList())
                .isEqualTo(expected);
    }

    @Tag("repeated")
    @Test
    void bytes_ofManyBits_areAtMost1point1BitsASample() {
        long n = Boolean.getBoolean("penstock.endurance") ? 100_000_000 : 10_000_000;

        Bits bits = Bits.of(n, index -> taken(index, 1, 3, 1));

        assertThat(bits.bytes() * 8.0 / n).isBetween(1.0, 1.1);
        assertThat(taken(bits.at(bits.size() - 1), 1, 3, 1)).isTrue();
    }

    @Test
    void of_sizeOutOfRange_isRefused() {
        assertThatThrownBy(() -> Bits.of(-1, index -> true)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Bits.of(Long.MAX_VALUE, index -> true))
                .hasMessage("an index has at most 137438952448 samples, was asked for 9223372036854775807");
    }
}
