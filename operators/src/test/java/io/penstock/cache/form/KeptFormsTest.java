package io.penstock.cache.form;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Cache;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.HitCheck;
import io.penstock.cache.MapTier;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.RunStatistics;
import io.penstock.pipeline.StageStatistics;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Form;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** What a cache does with the forms of values. Results never depend on it. */
class KeptFormsTest {

    private static final Schema<Tensor> PIXELS = Schema.tensor("pixels");
    private static final Schema<Tensor> NUMBER = Schema.tensor("number");
    private static final Form FORM = PackedForm.zstd();
    private static final int SIDE = 48;
    private static final int BYTES = SIDE * SIDE * 3;
    private static final int SAMPLES = 400;

    @TempDir
    private Path folder;

    /** Pictures of a slope with a little noise. */
    private record Slopes() implements Dataset<Tensor> {
        @Override
        public long size() {
            return SAMPLES;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("slopes");
        }

        @Override
        public Mono<Tensor> get(long index) {
            Random noise = new Random(index);
            byte[] pixels = new byte[BYTES];
            for (int at = 0; at < BYTES; at++) {
                pixels[at] = (byte) (index + at / 3 % SIDE + noise.nextInt(3));
            }
            return Mono.just(Tensor.ofBytes(pixels, SIDE, SIDE, 3));
        }
    }

    /** Epoch after epoch: one that is read ahead may join a load of the one before, which counts as a hit. */
    private static List<Integer> hashes(Dataset<Tensor> dataset, int epochs) {
        return IntStream.range(0, epochs)
                .mapToObj(epoch -> Sampler.shuffled(1).epochs(epoch + 1).resumeAt(new Position(epoch, 0)))
                .flatMap(order -> dataset.stream(order).toStream())
                .map(sample -> sample.value().hashCode())
                .toList();
    }

    private static List<Integer> expected(int epochs) {
        return hashes(new Slopes(), epochs);
    }

    private static long hits(RunStatistics statistics) {
        return statistics.hits().values().stream().mapToLong(Long::longValue).sum();
    }

    private static long unpacked(RunStatistics statistics) {
        return statistics.stages().stream()
                .filter(stage -> stage.name().equals("unpack"))
                .mapToLong(StageStatistics::samples)
                .sum();
    }

    @ParameterizedTest
    @EnumSource(Form.Use.class)
    void cache_withTooLittleRoom_holdsMoreIfItPacks(Form.Use use) {
        long plain = SAMPLES * 2 / 5;
        try (Cache cache = Cache.of(RamTier.ofBytes(plain * (BYTES + 64))).withForm(FORM, use)) {
            Dataset<Tensor> dataset = new Slopes().cache(cache, PIXELS);

            assertThat(hashes(dataset, 2)).isEqualTo(expected(2));

            if (use == Form.Use.PLAIN) {
                assertThat(hits(dataset.statistics(1))).isLessThanOrEqualTo(plain);
                assertThat(unpacked(dataset.statistics(1))).isZero();
            } else if (use == Form.Use.PACKED) {
                assertThat(hits(dataset.statistics(1))).isGreaterThan(plain * 4 / 3);
                assertThat(unpacked(dataset.statistics(1))).isPositive();
            }
        }
    }

    @Test
    void auto_withRoomForAll_packsNothing() {
        try (Cache cache = Cache.of(RamTier.ofBytes(SAMPLES * (BYTES + 512))).withForm(FORM, Form.Use.AUTO)) {
            Dataset<Tensor> dataset = new Slopes().cache(cache, PIXELS);

            assertThat(hashes(dataset, 2)).isEqualTo(expected(2));

            assertThat(hits(dataset.statistics(1))).isEqualTo(SAMPLES);
            assertThat(unpacked(dataset.statistics(1)))
                    .as("those loaded by the next epoch, of which one may stand for all that are left")
                    .isLessThan(SAMPLES / 20);
        }
    }

    @Test
    void disk_filledInEitherForm_isWarmForAny() {
        for (Form.Use filling : List.of(Form.Use.PACKED, Form.Use.PLAIN)) {
            Path directory = folder.resolve(filling.name());
            Supplier<Tier> disk =
                    () -> ChronicleTier.at(directory).maxBytes(64L << 20).open();
            try (Cache cache = Cache.of(disk.get()).withForm(FORM, filling)) {
                hashes(new Slopes().cache(cache, PIXELS), 1);
            }
            for (Form.Use use : Form.Use.values()) {
                try (Cache cache =
                        Cache.of(RamTier.ofBytes(1 << 20), disk.get()).withForm(FORM, use)) {
                    Dataset<Tensor> dataset = new Slopes().cache(cache, PIXELS, HitCheck.ofShare(0.1));

                    assertThat(hashes(dataset, 2)).isEqualTo(expected(2));

                    RunStatistics all = dataset.statistics();
                    assertThat(all.misses()).isZero();
                    assertThat(all.differing()).isZero();
                    assertThat(unpacked(all)).isEqualTo(filling == Form.Use.PACKED ? 2 * SAMPLES : 0);
                }
            }
        }
    }

    @Test
    void packedValues_damaged_areMisses() {
        MapTier tier = MapTier.holding(SAMPLES);
        Cache cache = Cache.of(tier).withForm(FORM, Form.Use.PACKED);
        hashes(new Slopes().cache(cache, PIXELS), 1);
        tier.held.replaceAll((key, bytes) -> {
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            copy[8 + Math.floorMod(key.low(), copy.length - 8)] ^= 1;
            return ByteBuffer.wrap(copy);
        });

        Dataset<Tensor> dataset = new Slopes().cache(cache, PIXELS);

        assertThat(hashes(dataset, 1)).isEqualTo(expected(1));
        assertThat(dataset.statistics().misses()).isEqualTo(SAMPLES);
    }

    @Test
    void packedValues_inACacheThatKnowsNoForm_areMisses() {
        MapTier tier = MapTier.holding(SAMPLES);
        hashes(new Slopes().cache(Cache.of(tier).withForm(FORM, Form.Use.PACKED), PIXELS), 1);
        Dataset<Tensor> dataset = new Slopes().cache(Cache.of(tier), PIXELS);

        assertThat(hashes(dataset, 1)).isEqualTo(expected(1));
        assertThat(dataset.statistics().misses()).isEqualTo(SAMPLES);
    }

    /** Pictures that are made of their numbers, the even ones before the odd ones, without the last. */
    private static Dataset<Tensor> pictures(Codec<Tensor> codec) {
        Dataset<Tensor> numbers = new Numbers().keepable(codec);
        Dataset<Tensor> pictures =
                numbers.map("draw", number -> new Slopes().get(number.longAt(0)).block());
        return Dataset.concat(List.of(
                pictures.selectIf("even", index -> index % 2 == 0),
                pictures.selectIf("odd", index -> index % 2 == 1).slice(0, SAMPLES / 2 - 1)));
    }

    /** What is made by another thread, or is at hand, in turn. */
    private record Numbers() implements Dataset<Tensor> {
        @Override
        public long size() {
            return SAMPLES;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("numbers");
        }

        @Override
        public Mono<Tensor> get(long index) {
            Tensor number = Tensor.scalar(index);
            return index % 3 == 0 ? Mono.just(number).delayElement(Duration.ofMillis(1)) : Mono.just(number);
        }
    }

    private static long remade(RunStatistics statistics) {
        return statistics.stages().stream()
                .filter(stage -> stage.name().equals(RunStatistics.REMAKE))
                .mapToLong(StageStatistics::samples)
                .sum();
    }

    @Test
    void origins_areKeptInPlaceOfWhatIsMadeOfThem() {
        List<Integer> expected = hashes(pictures(NUMBER), 2);
        int samples = SAMPLES - 1;
        try (Cache cache =
                Cache.of(RamTier.ofBytes(1 << 20)).withForm(FORM, Form.Use.FILE)) { // a third of the pictures
            Dataset<Tensor> dataset = pictures(NUMBER).cache(cache, PIXELS, HitCheck.ofShare(0.1));

            assertThat(hashes(dataset, 2)).isEqualTo(expected);

            assertThat(dataset.statistics().misses()).isEqualTo(samples);
            assertThat(remade(dataset.statistics(1))).isEqualTo(samples);
            assertThat(dataset.statistics().differing()).isZero();
            assertThat(dataset.statistics().verified()).isBetween(samples / 50L, samples / 4L);
            assertThat(cache.statistics().bytes()).isLessThan(samples * 200L);
        }
    }

    @Test
    void origins_onDisk_areWarmForAnyUse() {
        List<Integer> expected = hashes(pictures(NUMBER), 1);
        Supplier<Tier> disk = () -> ChronicleTier.at(folder).maxBytes(64L << 20).open();
        try (Cache cache = Cache.of(disk.get()).withForm(FORM, Form.Use.FILE)) {
            hashes(pictures(NUMBER).cache(cache, PIXELS), 1);
        }
        for (Form.Use use : Form.Use.values()) {
            try (Cache cache = Cache.of(RamTier.ofBytes(1 << 20), disk.get()).withForm(FORM, use)) {
                Dataset<Tensor> dataset = pictures(NUMBER).cache(cache, PIXELS);

                assertThat(hashes(dataset, 1)).isEqualTo(expected);
                assertThat(hashes(dataset, 1)).isEqualTo(expected);

                assertThat(dataset.statistics().misses()).isZero();
                assertThat(remade(dataset.statistics())).isEqualTo(2 * (SAMPLES - 1));
            }
        }
    }

    @Test
    void origins_thatAreDamagedOrOfAnotherCodec_areMisses() {
        List<Integer> expected = hashes(pictures(NUMBER), 1);
        MapTier tier = MapTier.holding(SAMPLES);
        Cache cache = Cache.of(tier).withForm(FORM, Form.Use.FILE);
        hashes(pictures(NUMBER).cache(cache, PIXELS), 1);
        Dataset<Tensor> other = pictures(Schema.tensor("another")).cache(cache, PIXELS);
        assertThat(hashes(other, 1)).isEqualTo(expected);
        assertThat(other.statistics().misses()).isEqualTo(SAMPLES - 1);

        tier.held.replaceAll(
                (key, bytes) -> bytes.duplicate().limit(bytes.limit() - 1).slice());
        Dataset<Tensor> cut = pictures(NUMBER).cache(cache, PIXELS);
        assertThat(hashes(cut, 1)).isEqualTo(expected);
        assertThat(cut.statistics().misses()).isEqualTo(SAMPLES - 1);
    }

    @Test
    void origins_inACacheThatKnowsNoForm_areMisses() {
        MapTier tier = MapTier.holding(SAMPLES);
        hashes(pictures(NUMBER).cache(Cache.of(tier).withForm(FORM, Form.Use.FILE), PIXELS), 1);
        Dataset<Tensor> dataset = pictures(NUMBER).cache(Cache.of(tier), PIXELS);

        assertThat(hashes(dataset, 1)).isEqualTo(hashes(pictures(NUMBER), 1));
        assertThat(dataset.statistics().misses()).isEqualTo(SAMPLES - 1);
    }
}
