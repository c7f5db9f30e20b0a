package io.penstock.cache;

import static io.penstock.testkit.TierKit.TIMEOUT;
import static io.penstock.testkit.TierKit.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamTier;
import io.penstock.internal.Begun;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the policies reach over many epochs, by the tiers themselves: the tables of docs/cache.md. */
class PolicySimulationTest {

    private static final int SAMPLES = 10_000;
    private static final int EPOCHS = 8;
    static final int WARM_UP = 4;

    /** The bytes of samples, what loading them takes, and a tier of a share of all their bytes. */
    static final class Data {
        final int[] bytes;
        final long[] nanos;

        Data(int samples) {
            this.bytes = new int[samples];
            this.nanos = new long[samples];
        }

        static Data equal(int samples, int bytes) {
            Data data = new Data(samples);
            Arrays.fill(data.bytes, bytes);
            Arrays.fill(data.nanos, 1_000_000);
            return data;
        }

        long allBytes() {
            return IntStream.of(bytes).asLongStream().sum();
        }
    }

    private static @Nullable ByteBuffer find(Cache cache, SampleKey key) {
        for (Level level : cache.levels) {
            ByteBuffer found = Begun.<ByteBuffer>toMono(level.get(key, false)).block(TIMEOUT);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** The share of the cost that hits saved in an epoch, in percent. */
    private static double epoch(Cache cache, Data data, int epoch, int[] order) {
        double all = 0;
        double saved = 0;
        for (int index : order) {
            SampleKey key = key(index);
            ByteBuffer found = find(cache, key);
            all += data.nanos[index];
            if (found != null) {
                assertThat(found.remaining()).isEqualTo(data.bytes[index]);
                saved += data.nanos[index];
            } else if (cache.placement.accepts(key)) {
                Encoded bytes = Encoded.of(ByteBuffer.allocate(data.bytes[index]));
                Begun.toMono(cache.placement.put(key, bytes, Entry.of(epoch, data.nanos[index])))
                        .block(TIMEOUT);
            }
        }
        return 100 * saved / all;
    }

    /** The share of the cost that hits saved in an epoch once it is steady, in percent. */
    static double steady(Tier tier, Data data, boolean shuffled) {
        return steady(Cache.of(tier), data, shuffled, () -> {});
    }

    /** As above; what runs after each epoch is what a tier does meanwhile where loads take time. */
    static double steady(Cache cache, Data data, boolean shuffled, Runnable afterEach) {
        return steady(cache, data, shuffled, EPOCHS, afterEach);
    }

    /** As above, over the given number of epochs. */
    static double steady(Cache cache, Data data, boolean shuffled, int epochs, Runnable afterEach) {
        SplittableRandom random = new SplittableRandom(42);
        double sum = 0;
        for (int epoch = 0; epoch < epochs; epoch++) {
            double saved = epoch(cache, data, epoch, order(data.bytes.length, shuffled ? random : null));
            sum += epoch < WARM_UP ? 0 : saved;
            afterEach.run();
        }
        return sum / (epochs - WARM_UP);
    }

    private static int[] order(int samples, @Nullable SplittableRandom random) {
        int[] order = IntStream.range(0, samples).toArray();
        for (int i = samples - 1; i > 0 && random != null; i--) {
            int j = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
        return order;
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 70})
    void hold_ofAShareOfTheData_hitsThatShare(int percent) {
        Data data = Data.equal(SAMPLES, 480);
        for (boolean shuffled : new boolean[] {true, false}) {
            try (Tier tier = RamTier.of(CachePolicy.HOLD)
                    .maxBytes(SAMPLES * 500L * percent / 100)
                    .open()) {
                double hits = steady(tier, data, shuffled);

                assertThat(hits).isCloseTo(percent, within(0.5));
            }
        }
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(ints = {30, 50, 90})
    void hold_ofAnyShareOfTheData_hitsThatShare(int percent) {
        hold_ofAShareOfTheData_hitsThatShare(percent);
    }

    @ParameterizedTest
    @ValueSource(ints = {30, 90})
    void lru_ofAShareOfTheData_hitsWhatItsFormulaSays(int percent) {
        Data data = Data.equal(SAMPLES, 200);
        try (Tier tier = RamTier.of(CachePolicy.LRU)
                .maxBytes(SAMPLES * 424L * percent / 100)
                .open()) {
            double hits = steady(tier, data, true);

            double c = percent / 100.0;
            assertThat(tier.statistics().samples()).isEqualTo((long) SAMPLES * percent / 100);
            assertThat(hits).isCloseTo(100 * (c + (1 - c) * Math.log(1 - c)), within(0.5));
        }
        try (Tier tier = RamTier.of(CachePolicy.LRU)
                .maxBytes(SAMPLES * 424L * percent / 100)
                .open()) {
            assertThat(steady(tier, data, false)).isZero();
        }
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(ints = {10, 50, 70})
    void lru_ofAnyShareOfTheData_hitsWhatItsFormulaSays(int percent) {
        lru_ofAShareOfTheData_hitsWhatItsFormulaSays(percent);
    }

    /** Sizes and costs are log-normal: independent, or the cost in proportion to the size with some noise. */
    private static Data logNormal(boolean inProportion) {
        Random random = new Random(7);
        Data data = new Data(SAMPLES);
        for (int i = 0; i < SAMPLES; i++) {
            double size = Math.exp(random.nextGaussian());
            data.bytes[i] = (int) (1_000 * size);
            double noise = random.nextGaussian();
            data.nanos[i] = (long) (1_000_000 * (inProportion ? size * Math.exp(noise / 2) : Math.exp(noise)));
        }
        return data;
    }

    /** The cost saved once it is steady, and the bytes held at the end of each epoch but the first. */
    private record Outcome(double saved, List<Long> held) {

        static Outcome of(CachePolicy policy, Data data, int percent) {
            long bytes = (data.allBytes() + 24L * SAMPLES) * percent / 100;
            try (Tier tier = RamTier.of(policy).maxBytes(bytes).open()) {
                SplittableRandom random = new SplittableRandom(percent);
                epoch(Cache.of(tier), data, 0, order(SAMPLES, random));
                List<Long> held = new ArrayList<>();
                double saved = 0;
                for (int epoch = 1; epoch <= 3; epoch++) {
                    saved = epoch(Cache.of(tier), data, epoch, order(SAMPLES, random));
                    held.add(tier.statistics().bytes());
                }
                return new Outcome(saved, held);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 10, 11, 55", "true, 50, 50, 69"})
    void cost_ofLogNormalSamples_savesWhatTheBestSetDoes(boolean inProportion, int percent, double hold, double cost) {
        Data data = logNormal(inProportion);

        Outcome firstCome = Outcome.of(CachePolicy.HOLD, data, percent);
        Outcome bySavedCost = Outcome.of(CachePolicy.COST, data, percent);

        assertThat(firstCome.saved).isCloseTo(hold, within(1.0));
        assertThat(bySavedCost.saved).isCloseTo(cost, within(2.5));
        for (int epoch = 0; epoch < firstCome.held.size(); epoch++) {
            assertThat(bySavedCost.held.get(epoch)).isGreaterThan(firstCome.held.get(epoch) * 99 / 100);
        }
    }

    @Tag("endurance")
    @ParameterizedTest
    @CsvSource({"false, 30, 30, 81", "false, 50, 50, 92", "true, 10, 10, 22", "true, 30, 30, 49"})
    void cost_ofAnyShareOfLogNormalSamples_savesWhatTheBestSetDoes(
            boolean inProportion, int percent, double hold, double cost) {
        cost_ofLogNormalSamples_savesWhatTheBestSetDoes(inProportion, percent, hold, cost);
    }

    @Test
    void cost_afterTheSwappingEpochs_movesNothingAnyMore() {
        Data data = logNormal(false);
        try (Tier tier =
                RamTier.of(CachePolicy.COST).maxBytes(data.allBytes() / 3).open()) {
            SplittableRandom random = new SplittableRandom(1);
            for (int epoch = 5; epoch < 7; epoch++) {
                epoch(Cache.of(tier), data, epoch, order(SAMPLES, random));
            }
            epoch(Cache.of(tier), data, 7, order(SAMPLES, random));
            long evicted = tier.statistics().evicted();
            long[] dearer = data.nanos.clone();
            Arrays.setAll(data.nanos, i -> 1_000 * dearer[i]);

            epoch(Cache.of(tier), data, 8, order(SAMPLES, random));

            assertThat(evicted).isPositive();
            assertThat(tier.statistics().evicted()).isEqualTo(evicted);
            assertThat(tier.accepts(key(SAMPLES), Entry.UNKNOWN)).isFalse();
        }
    }
}
