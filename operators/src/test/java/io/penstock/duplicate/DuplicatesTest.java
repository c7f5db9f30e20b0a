package io.penstock.duplicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.pipeline.SampleId;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** Duplicates beside those that comparing all pairs finds. */
class DuplicatesTest {

    private static final int WORDS = 40;

    @TempDir
    Path folder;

    /** Samples in files of their own. */
    private record Made<T>(String name, long size, LongFunction<T> sample, AtomicInteger loads) implements Dataset<T> {

        Made(String name, long size, LongFunction<T> sample) {
            this(name, size, sample, new AtomicInteger());
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of(name, Long.toString(size));
        }

        @Override
        public Mono<T> get(long index) {
            return Mono.fromSupplier(() -> {
                loads.incrementAndGet();
                return sample.apply(index);
            });
        }

        @Override
        public SampleId id(long index) {
            return SampleId.of(
                    SampleKey.of(name, Long.toString(index)),
                    () -> name + index,
                    () -> List.of(name, "" + index / 100));
        }
    }

    private static <T> Dataset<T> built(Mono<Dataset<T>> dataset) {
        Dataset<T> found = dataset.block();
        assertThat(found).isNotNull();
        return found;
    }

    private static <T> List<T> values(Dataset<T> data) {
        return data.stream(Sampler.sequential())
                .map(Sample::value)
                .collectList()
                .block();
    }

    /** Half of them are variants of others, from one word in forty to a quarter of the words. */
    private static List<String> texts(int size) {
        SplittableRandom random = new SplittableRandom(11);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            if (i % 2 == 0) {
                texts.add(String.join(
                        " ",
                        IntStream.range(0, WORDS).mapToObj(w -> word(random)).toList()));
            } else {
                String[] words = texts.get(i - 1).split(" ");
                for (int change = random.nextInt(WORDS / 4); change > 0; change--) {
                    words[random.nextInt(WORDS)] = word(random);
                }
                texts.add(String.join("  ", words).toUpperCase(Locale.ROOT));
            }
        }
        return texts;
    }

    private static String word(SplittableRandom random) {
        return Long.toString(random.nextLong(1L << 30), 36);
    }

    private static double jaccard(long[] a, long[] b) {
        int both = 0;
        for (int i = 0, j = 0; i < a.length && j < b.length; ) {
            both += a[i] == b[j] ? 1 : 0;
            long next = Math.min(a[i], b[j]);
            i += a[i] == next ? 1 : 0;
            j += b[j] == next ? 1 : 0;
        }
        return (double) both / (a.length + b.length - both);
    }

    /** All different runs of five characters. */
    private static long[] shingles(String text) {
        String plain = text.toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
        return IntStream.rangeClosed(0, plain.length() - 5)
                .mapToLong(at ->
                        plain.substring(at, at + 5).chars().mapToLong(c -> c).reduce(0, (all, c) -> all << 8 | c))
                .distinct()
                .sorted()
                .toArray();
    }

    /** The estimate is uncertain by three deviations, 0.1: pairs further above are found, and those further below are not. */
    private static void requireAsBruteForce(int size, double similarity) {
        List<String> texts = texts(size);
        Dataset<String> data = new Made<>("texts", size, i -> texts.get((int) i));
        Duplicates<String> near = Duplicates.nearTexts(similarity, "text", text -> text);
        List<long[]> sets = texts.stream().map(DuplicatesTest::shingles).toList();

        Set<String> kept = new HashSet<>(values(built(near.without(data, Indexing.inMemory()))));

        int pairs = 0;
        int found = 0;
        int clear = 0;
        int clearlyFound = 0;
        double[] most = new double[size];
        for (int i = 0; i < size; i++) {
            for (int j = i + 1; j < size; j++) {
                double likeness = jaccard(sets.get(i), sets.get(j));
                most[i] = Math.max(most[i], likeness);
                most[j] = Math.max(most[j], likeness);
                int isFound = kept.contains(texts.get(i)) && kept.contains(texts.get(j)) ? 0 : 1;
                pairs += likeness >= similarity ? 1 : 0;
                found += likeness >= similarity ? isFound : 0;
                clear += likeness >= Math.min(1, similarity + 0.1) ? 1 : 0;
                clearlyFound += likeness >= Math.min(1, similarity + 0.1) ? isFound : 0;
            }
        }
        int right = 0;
        int wrong = 0;
        for (int i = 0; i < size; i++) {
            if (!kept.contains(texts.get(i))) {
                right += most[i] >= similarity ? 1 : 0;
                wrong += most[i] < similarity - 0.1 ? 1 : 0;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%d texts, near=%s: recall %.4f of %d pairs, %d of %d 0.1 above; precision %.4f, %d 0.1 below%n",
                size,
                similarity,
                (double) found / pairs,
                pairs,
                clearlyFound,
                clear,
                (double) right / (size - kept.size()),
                wrong);
        assertThat(clear).isGreaterThan(size / 40);
        assertThat(clearlyFound).isGreaterThanOrEqualTo(clear * 99 / 100);
        assertThat((double) found / pairs).isGreaterThan(0.95);
        assertThat((double) right / (size - kept.size())).isGreaterThan(0.8);
        assertThat(wrong).isLessThanOrEqualTo(size / 400);
    }

    @Test
    void nearTexts_madeVariants_areThoseOfAllPairs() {
        requireAsBruteForce(400, 0.8);
    }

    @Test
    @Tag("endurance")
    void nearTexts_anyThreshold_areThoseOfAllPairs() {
        for (double similarity : new double[] {0.5, 0.7, 0.8, 0.9}) {
            requireAsBruteForce(2000, similarity);
        }
    }

    @Test
    void exact_equalSamples_keepsTheOneWithTheSmallestKey() {
        Dataset<Tensor> data = new Made<>("numbers", 3000, i -> Tensor.scalar(i % 1000));
        Duplicates<Tensor> equal = Duplicates.exact("value", List::of);

        Dataset<Tensor> once = built(equal.without(data, Indexing.inMemory()));
        Dataset<Tensor> again = built(
                equal.without(data, Indexing.inMemory().on(Execution.standard().inFlight(1))));

        assertThat(once.size()).isEqualTo(1000);
        assertThat(values(once)).doesNotHaveDuplicates().isEqualTo(values(again));
        Set<SampleKey> kept = new HashSet<>();
        for (long i = 0; i < once.size(); i++) {
            kept.add(once.id(i).key());
        }
        for (long i = 0; i < 1000; i++) {
            SampleKey smallest = data.id(i).key();
            for (long copy = i; copy < 3000; copy += 1000) {
                SampleKey key = data.id(copy).key();
                smallest = Long.compareUnsigned(key.high(), smallest.high()) < 0 ? key : smallest;
            }
            assertThat(kept).contains(smallest);
        }
    }

    @Test
    void exact_anotherSource_leavesOutWhatItHas() {
        Dataset<Tensor> train = new Made<>("train", 1000, i -> Tensor.scalar(i));
        Dataset<Tensor> test = new Made<>("test", 100, i -> Tensor.scalar(10 * i));

        Dataset<Tensor> clean =
                built(Duplicates.<Tensor>exact("value", List::of).without(train, test, Indexing.inMemory()));

        assertThat(values(clean)).hasSize(900).noneMatch(value -> value.longAt(0) % 10 == 0);
        assertThat(clean.fingerprint().words().toString())
                .contains(test.fingerprint().hex());
    }

    @Test
    void signatures_kept_loadOnlyWhatChanged() {
        Made<Tensor> before = new Made<>("numbers", 900, i -> Tensor.scalar(i % 100));
        Made<Tensor> more = new Made<>("numbers", 1000, i -> Tensor.scalar(i % 100));
        Duplicates<Tensor> equal = Duplicates.exact("value", List::of);
        built(equal.without(before, Indexing.keptIn(folder)));

        assertThat(built(equal.without(more, Indexing.keptIn(folder))).size()).isEqualTo(100);
        assertThat(more.loads()).hasValue(100);
    }

    private static Tensor picture(long seed, int side, int noise) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] waves = random.doubles(12).map(u -> 6 * u - 3).toArray();
        SplittableRandom dust = new SplittableRandom(seed + 1_000_000L * side + noise);
        byte[] pixels = new byte[side * side * 3];
        for (int i = 0; i < pixels.length; i++) {
            double x = (double) (i / 3 % side) / side;
            int row = i / 3 / side;
            double y = (double) row / side;
            double value = 128;
            for (int wave = 0; wave < waves.length; wave += 3) {
                value += 30 * Math.sin(5 * (waves[wave] * x + waves[wave + 1] * y) + waves[wave + 2]);
            }
            int dusty = (int) value + (noise == 0 ? 0 : dust.nextInt(2 * noise) - noise);
            pixels[i] = (byte) Math.max(0, Math.min(255, dusty));
        }
        return Tensor.ofBytes(pixels, side, side, 3);
    }

    @Test
    void nearPictures_resizedAndNoisy_areLeftOutAndNoOthers() {
        int originals = 150;
        Dataset<Tensor> data =
                new Made<>("pictures", 3 * originals, i -> picture(i / 3, i % 3 == 1 ? 72 : 96, i % 3 == 2 ? 12 : 0));

        Dataset<Tensor> once = built(Duplicates.<Tensor>nearPictures(0.92, "pixels", pixels -> pixels)
                .without(data, Indexing.inMemory()));

        assertThat(once.size()).isEqualTo(originals);
    }

    /** Bits that differ in up to 15 places, which are hard for the bands. */
    @Test
    void bits_upTo15Apart_areAllFound() {
        SplittableRandom random = new SplittableRandom(5);
        Likeness bits = Likeness.ofBits(0.89);
        for (int turn = 0; turn < 2000; turn++) {
            byte[] pair = new byte[32];
            for (int i = 0; i < 16; i++) {
                pair[i] = (byte) random.nextInt(256);
                pair[16 + i] = pair[i];
            }
            Set<Integer> places = new HashSet<>();
            while (places.size() < turn % 20) {
                places.add(random.nextInt(128));
            }
            places.forEach(place -> pair[16 + place / 8] ^= (byte) (1 << place % 8));
            Likeness.Bands buckets = bits.new Bands(pair);
            buckets.put(0);

            assertThat(buckets.hasLike(1)).as("%d apart", places.size()).isEqualTo(places.size() <= 14);
        }
    }

    @Test
    void similarity_outOfRange_isRefused() {
        assertThatThrownBy(() -> Duplicates.nearTexts(0.4, "text", Object::toString))
                .hasMessage("similarity must be in [0.5, 1], was 0.4");
        assertThatThrownBy(() -> Duplicates.nearPictures(Double.NaN, "pixels", any -> Tensor.scalar(1)))
                .hasMessageContaining("[0.89, 1]");
    }

    /** A million texts, of which a tenth are variants, in a heap of the tests' size. */
    @Test
    @Tag("endurance")
    void nearTexts_aMillion_fitIntoTheHeap() {
        int size = 1_000_000;
        Dataset<String> data = new Made<>("million", size, i -> {
            SplittableRandom random = new SplittableRandom(i % 10 == 9 ? i - 1 : i);
            String text = String.join(
                    " ", IntStream.range(0, WORDS).mapToObj(w -> word(random)).toList());
            return i % 10 == 9 ? text.substring(0, text.length() - 3) : text;
        });
        Duplicates<String> near = Duplicates.nearTexts(0.9, "text", text -> text);

        long started = System.nanoTime();
        Dataset<String> once = built(near.without(data, Indexing.keptIn(folder)));
        long cold = System.nanoTime() - started;
        started = System.nanoTime();
        Dataset<String> again = built(near.without(data, Indexing.keptIn(folder)));
        System.out.printf(
                "a million texts: %.1f s, from kept signatures %.1f s, %d stay%n",
                cold / 1e9, (System.nanoTime() - started) / 1e9, once.size());

        assertThat(once.size()).isEqualTo(900_000);
        assertThat(again.size()).isEqualTo(once.size());
    }
}
