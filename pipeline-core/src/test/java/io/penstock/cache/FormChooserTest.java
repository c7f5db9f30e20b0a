package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.FakeTier;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Form;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Costs are given, and unpacking takes no time: what is chosen does not depend on the machine. */
class FormChooserTest {

    private static final int SAMPLES = 2_000;
    private static final int BYTES = 8 << 10;
    private static final long ALL = SAMPLES * (BYTES + 64L);

    /** A quarter of the bytes. */
    private static final class Quarter implements Form {
        private int packed;

        @Override
        public String id() {
            return "quarter";
        }

        @Override
        public boolean isOf(ByteBuffer bytes) {
            return bytes.remaining() == BYTES / 4;
        }

        @Override
        public Encoded pack(Encoded plain) {
            packed++;
            return Encoded.of(ByteBuffer.allocate(BYTES / 4));
        }

        @Override
        public ByteBuffer unpack(ByteBuffer bytes) {
            return bytes;
        }
    }

    /**
     * Parts of the data in turn, which take this long to load: of a processor, and at the source.
     *
     * @param cold loads that take a processor twenty times as long, at first
     */
    private record Loads(List<Double> millis, double sourceMillis, int cold)
            implements MeasuredLoader<Integer, Tensor> {

        Loads(List<Double> millis, double sourceMillis) {
            this(millis, sourceMillis, 0);
        }

        @Override
        public MeasuredLoader.Drawn drawn(Integer sample) {
            return new MeasuredLoader.Drawn(sample % millis.size(), 0, SAMPLES - 1 - sample);
        }

        @Override
        public MeasuredLoader.Spent spent(Integer sample) {
            int loads = sample / millis.size() + 1;
            double counted = loads + 19 * Math.min(loads, cold);
            return new MeasuredLoader.Spent(
                    loads, counted * 1e6 * millis.get(sample % millis.size()), loads * 1e6 * sourceMillis);
        }

        @Override
        public Mono<Tensor> remade(ByteBuffer origin, Integer sample) {
            return Mono.error(new AssertionError("a chooser reads nothing"));
        }

        @Override
        public Mono<ByteBuffer> unpacked(Callable<ByteBuffer> unpacking, Integer sample) {
            return Mono.fromCallable(unpacking);
        }
    }

    private final Quarter form = new Quarter();
    private long used;
    private int origins;

    private int[] held(long capacity, Loads loads) {
        return held(capacity, loads, null);
    }

    /** How many samples of each part are held at the end of an epoch. */
    private int[] held(long capacity, Loads loads, @Nullable Supplier<Encoded> origin) {
        FakeTier tier = new FakeTier("ram") {
            @Override
            public TierStatistics statistics() {
                return new TierStatistics(0, used, capacity, 0, 0, 0, 0, 0);
            }
        };
        Cache cache = Cache.of(tier).withForm(form, Form.Use.AUTO);
        FormChooser<Integer> chooser = new FormChooser<>(cache, form, loads, () -> 32);
        int[] held = new int[loads.millis.size()];
        Encoded plain = Encoded.of(ByteBuffer.allocate(BYTES));
        for (int sample = 0; sample < SAMPLES; sample++) {
            FormChooser.Kept kept = chooser.kept(SampleKey.of("sample " + sample), plain, origin, sample);
            if (kept != null && used + kept.bytes().length() + 64 <= capacity) {
                used += kept.bytes().length() + 64;
                held[sample % held.length]++;
                origins += kept.form().equals(WithOrigin.ID) ? 1 : 0;
            }
        }
        return held;
    }

    @Test
    void room_forAll_isFilledWithPlainValuesWithoutATrial() {
        assertThat(held(ALL, new Loads(List.of(1.0), 0))).containsExactly(SAMPLES);
        assertThat(form.packed).isZero();
    }

    @Test
    void room_forHalf_holdsAllByPackingSome() {
        assertThat(Arrays.stream(held(ALL / 2, new Loads(List.of(1.0), 0))).sum())
                .isGreaterThan(SAMPLES * 98 / 100);
        assertThat(form.packed).isBetween(SAMPLES / 2, SAMPLES * 3 / 4);
    }

    @Test
    void loads_thatTakeNoTime_areNotPacked() {
        assertThat(Arrays.stream(held(ALL / 2, new Loads(List.of(0.0), 0))).sum())
                .isBetween(SAMPLES * 48 / 100, SAMPLES / 2);
    }

    @Test
    void parts_ofDifferentCost_holdWhatTakesLongest() {
        int[] held = held(ALL / 10, new Loads(List.of(0.01, 5.0), 0));

        assertThat(held[1]).isGreaterThan(20 * held[0]);
        assertThat(used).isGreaterThan(ALL * 9 / 100);
    }

    private static Encoded eighth() {
        return Encoded.of(ByteBuffer.allocate(BYTES / 8));
    }

    @Test
    void sources_thatAreFar_areSparedByOrigins() {
        Loads far = new Loads(List.of(1.0), 500);

        assertThat(held(ALL / 6, far, FormChooserTest::eighth)[0]).isGreaterThan(SAMPLES * 98 / 100);
        assertThat(origins).isGreaterThan(SAMPLES / 2);
    }

    @Test
    void processors_thatAreBusy_areNotSparedByOrigins() {
        Loads near = new Loads(List.of(1.0), 0.01);

        held(ALL / 6, near, FormChooserTest::eighth);

        assertThat(origins).isZero();
        assertThat(form.packed).isGreaterThan(SAMPLES / 3);
    }

    /** Where origins hold all and packed values do not, because the source is the slower one once the code is warm. */
    @Test
    void loads_ofCodeThatIsNotCompiledAtFirst_areForgottenSoon() {
        double millis = 0.02 * Runtime.getRuntime().availableProcessors();

        int[] warm = held(2 * ALL / 15, new Loads(List.of(millis), 3.2), FormChooserTest::eighth);
        used = 0;
        int[] cold = held(2 * ALL / 15, new Loads(List.of(millis), 3.2, 100), FormChooserTest::eighth);

        assertThat(warm[0]).isGreaterThan(SAMPLES * 90 / 100);
        assertThat(cold[0]).isGreaterThan(SAMPLES * 83 / 100);
    }

    @Test
    void room_forAll_isFilledWithPlainValuesThoughTheyHaveOrigins() {
        assertThat(held(ALL, new Loads(List.of(1.0), 500), FormChooserTest::eighth))
                .containsExactly(SAMPLES);
        assertThat(origins).isZero();
    }
}
