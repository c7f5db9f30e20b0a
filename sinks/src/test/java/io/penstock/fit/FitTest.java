package io.penstock.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.FormatException;
import io.penstock.fault.SampleException;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/** Fits beside computations of their own. */
class FitTest {

    private static final Schema<Passenger> PASSENGERS = Schema.of(Passenger.class);
    private static final int MANY = 20_000;

    @TempDir
    Path folder;

    record Passenger(double age, int deck, String port) {}

    /** Samples by index. */
    private record Made<T>(String name, long size, IntFunction<T> sample) implements Dataset<T> {
        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of(name, Long.toString(size));
        }

        @Override
        public Mono<T> get(long index) {
            return Mono.fromSupplier(() -> sample.apply((int) index));
        }
    }

    private static Dataset<Passenger> passengers(int size) {
        return new Made<>(
                "passengers",
                size,
                i -> new Passenger(
                        i % 10 == 3 ? Double.NaN : 20 + i % 50 + i / 1e6, i % 7, i % 11 == 0 ? "" : "port " + i % 3));
    }

    private static <T> Fit fit(Dataset<T> data, Schema<T> schema, Indexing indexing) {
        Fit fit = Fit.of(data, schema, indexing).block();
        assertThat(fit).isNotNull();
        return fit;
    }

    private static <T> Fit fit(Dataset<T> data, Schema<T> schema) {
        return fit(data, schema, Indexing.inMemory());
    }

    private static FieldFit field(Fit fit, String name) {
        FieldFit field = fit.fields().get(name);
        assertThat(field).as(name).isNotNull();
        return field;
    }

    private static FieldFit ofNumbers(double[] values) {
        Dataset<Tensor> data = new Made<>("numbers", values.length, i -> Tensor.scalar(values[i]));
        return field(fit(data, Schema.tensor("x")), "x");
    }

    /** Numbers that are hard in one way each: a small spread far from 0, a long tail, both signs, few different ones. */
    @ParameterizedTest
    @CsvSource({"far", "tail", "signs", "few", "tiny"})
    void moments_ofHardNumbers_areThoseOfExactArithmeticTo1e9(String kind) {
        SplittableRandom random = new SplittableRandom(7);
        Map<String, DoubleUnaryOperator> kinds = Map.of(
                "far", u -> 1e9 + u,
                "tail", u -> Math.exp(20 * u - 5),
                "signs", u -> Math.tan(3 * (u - 0.5)),
                "few", u -> Math.floor(900 * u) - 450,
                "tiny", u -> 1e-12 * u);
        double[] values = random.doubles(MANY).map(kinds.get(kind)).toArray();

        FieldFit fit = ofNumbers(values);

        BigDecimal n = BigDecimal.valueOf(values.length);
        BigDecimal mean = Arrays.stream(values)
                .mapToObj(BigDecimal::new)
                .reduce(BigDecimal.ZERO, BigDecimal::add)
                .divide(n, MathContext.DECIMAL128);
        BigDecimal variance = Arrays.stream(values)
                .mapToObj(value -> new BigDecimal(value).subtract(mean).pow(2, MathContext.DECIMAL128))
                .reduce(BigDecimal.ZERO, BigDecimal::add)
                .divide(n, MathContext.DECIMAL128);
        double deviation = variance.sqrt(MathContext.DECIMAL128).doubleValue();
        assertThat(fit.mean()).isCloseTo(mean.doubleValue(), within(1e-9 * Math.abs(mean.doubleValue())));
        assertThat(fit.deviation()).isCloseTo(deviation, within(1e-9 * deviation));
        double[] sorted = Arrays.stream(values).sorted().toArray();
        assertThat(fit.min()).isEqualTo(sorted[0]);
        assertThat(fit.max()).isEqualTo(sorted[sorted.length - 1]);
        for (int i = 0; i <= 100; i++) {
            double exact = sorted[i * (sorted.length - 1) / 100];
            assertThat(fit.percentiles().get(i))
                    .as("percentile %d", i)
                    .isCloseTo(exact, within(Spread.ACCURACY * 1.0001 * Math.abs(exact)));
        }
        long distinct = Arrays.stream(values).distinct().count();
        assertThat((double) fit.distinct())
                .isCloseTo((double) distinct, within(kind.equals("few") ? 0 : 0.05 * distinct));
        assertThat(fit.classes().isEmpty()).isNotEqualTo(kind.equals("few"));
    }

    @Test
    void fit_anyParallelismKeptOrNot_isTheSameToTheBit() {
        Dataset<Passenger> data = passengers(MANY);
        Fit one = fit(
                data, PASSENGERS, Indexing.inMemory().on(Execution.standard().inFlight(1)));

        Indexing kept = Indexing.keptIn(folder);
        Fit written = fit(data, PASSENGERS, kept);
        Fit read = fit(data, PASSENGERS, kept);

        assertThat(written.fields()).isEqualTo(one.fields());
        assertThat(read.fields()).isEqualTo(one.fields());
    }

    @Test
    void fit_missingAndInfinite_areCountedAndInNoOtherStatistic() {
        double[] values = {1, Double.NaN, 3, Double.POSITIVE_INFINITY, -0.0, 0.0};

        FieldFit fit = ofNumbers(values);

        assertThat(fit.values()).isEqualTo(6);
        assertThat(fit.missing()).isEqualTo(1);
        assertThat(fit.infinite()).isEqualTo(1);
        assertThat(fit.missingShare()).isEqualTo(1.0 / 6);
        assertThat(fit.mean()).isEqualTo(1);
        assertThat(fit.classes()).containsExactly(Map.entry("0", 2L), Map.entry("1", 1L), Map.entry("3", 1L));
        assertThat(ofNumbers(new double[] {Double.NaN}).mean()).isNaN();
    }

    @Test
    void fit_texts_hasVocabularyOrAnEstimate() {
        FieldFit few = field(fit(passengers(MANY), PASSENGERS), "port");
        Dataset<Tensor> many = new Made<>("many", MANY, i -> Tensor.utf8("word " + i));

        FieldFit words = field(fit(many, Schema.tensor("word")), "word");

        assertThat(few.classes()).containsOnlyKeys("port 0", "port 1", "port 2");
        assertThat(few.missing()).isEqualTo(MANY / 11 + 1);
        assertThat(few.distinct()).isEqualTo(3);
        assertThat(few.mean()).isEqualTo(6);
        assertThat(words.classes()).isEmpty();
        assertThat((double) words.distinct()).isCloseTo(MANY, within(0.05 * MANY));
    }

    @Test
    void fit_pictures_hasChannels() {
        byte[] pixels = new byte[3 * 16 * 16];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (i % 3 == 0 ? 255 : i % 3 == 1 ? i / 3 % 2 : 7);
        }
        Dataset<Tensor> data = new Made<>("pictures", 5, i -> Tensor.ofBytes(pixels, 16, 16, 3));

        Fit fit = fit(data, Schema.tensor("pixels"));

        assertThat(fit.fields().keySet()).containsExactly("pixels[0]", "pixels[1]", "pixels[2]");
        assertThat(field(fit, "pixels[0]").mean()).isEqualTo(255);
        assertThat(field(fit, "pixels[1]").mean()).isEqualTo(0.5);
        assertThat(field(fit, "pixels[1]").deviation()).isEqualTo(0.5);
        Tensor standard =
                fit.standardise(data, Schema.tensor("pixels"), "pixels").get(0).block();
        assertThat(standard).isNotNull();
        assertThat(standard.type()).isEqualTo("f32[16, 16, 3]");
        assertThat(standard.floatAt(1)).isEqualTo(-1);
    }

    @Test
    void fit_componentsThatDiffer_endsThePassNamingTheField() {
        Dataset<Tensor> data = new Made<>("mixed", 2, i -> Tensor.ofBytes(new byte[4 * (3 + i)], 2, 2, 3 + i));

        assertThatThrownBy(() -> fit(data, Schema.tensor("pixels")))
                .isInstanceOf(SampleException.class)
                .hasMessageContaining("3 components in some samples and 4 in others");
    }

    @Test
    void file_writtenAndRead_isTheSameFit() throws IOException {
        Fit fit = fit(passengers(MANY), PASSENGERS);
        Path file = folder.resolve("fit.json");

        fit.write(file);

        assertThat(Fit.read(file).fields()).isEqualTo(fit.fields());
        assertThat(Fit.read(file).samples()).isEqualTo(MANY);
        for (String broken :
                List.of("{", "[]", "{\"penstock_fit\":1}", "{\"penstock_fit\":1,\"fields\":{\"a\":{\"values\":-1}}}")) {
            Files.writeString(file, broken);
            assertThatThrownBy(() -> Fit.read(file))
                    .as(broken)
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("fit.json is no fit")
                    .hasMessageNotContaining("Source");
        }
    }

    /** Rows with any fields, as tables have them. */
    private static final Schema<List<Tensor>> ROWS = new Schema<>() {
        @Override
        public List<String> names() {
            return List.of("age", "deck", "port");
        }

        @Override
        public List<Tensor> flatten(List<Tensor> value) {
            return value;
        }

        @Override
        public List<Tensor> unflatten(List<Tensor> tensors) {
            return tensors;
        }
    };

    private static List<Tensor> row(Dataset<List<Tensor>> data, long index) {
        List<Tensor> row = data.get(index).block();
        assertThat(row).isNotNull();
        return row;
    }

    @Test
    void stages_ofAFit_haveItsNumbersAndSayThemInTheFingerprint() {
        Dataset<List<Tensor>> data = passengers(MANY).map("rows", PASSENGERS::flatten);
        Fit fit = fit(data, ROWS);
        Fit other = fit(data.slice(0, 10), ROWS);

        Dataset<List<Tensor>> filled = fit.fill(data, ROWS, "age");
        Dataset<List<Tensor>> standard = fit.standardise(filled, ROWS, "age", "deck");
        FieldFit again = field(fit(standard, ROWS), "age");
        Dataset<List<Tensor>> buckets = fit.bucketise(data, ROWS, 4, "age");
        Dataset<List<Tensor>> hot = fit.oneHot(data, ROWS, "port", "deck");

        assertThat(again.mean()).isCloseTo(0, within(1e-6));
        assertThat(again.missing()).isZero();
        assertThat(field(fit(standard, ROWS), "deck").deviation()).isCloseTo(1, within(1e-6));
        assertThat(row(filled, 3).get(0).doubleAt(0))
                .isEqualTo(field(fit, "age").mean());
        Map<String, Long> sizes = field(fit(buckets, ROWS), "age").classes();
        assertThat(sizes).containsOnlyKeys("0", "1", "2", "3", "4").containsEntry("4", (long) MANY / 10);
        assertThat(sizes.get("1")).isBetween((long) (MANY * 0.9 / 4 * 0.9), (long) (MANY * 0.9 / 4 * 1.1));
        assertThat(row(hot, 1).get(2)).isEqualTo(Tensor.ofFloats(new float[] {0, 1, 0}));
        assertThat(row(hot, 0).get(2)).isEqualTo(Tensor.ofFloats(new float[3]));
        assertThat(row(hot, 8).get(1)).isEqualTo(Tensor.ofFloats(new float[] {0, 1, 0, 0, 0, 0, 0}));
        assertThat(fit.standardise(data, ROWS, "age").fingerprint().words().toString())
                .contains("standardise age by means [" + field(fit, "age").mean());
        assertThat(other.standardise(data, ROWS, "age").id(0).key())
                .isNotEqualTo(fit.standardise(data, ROWS, "age").id(0).key());
    }

    @Test
    void stages_thatCannotBe_sayWhy() {
        Dataset<List<Tensor>> data = passengers(100).map("rows", PASSENGERS::flatten);
        Fit fit = fit(data, ROWS);

        assertThatThrownBy(() -> fit.standardise(data, ROWS, "port")).hasMessageContaining("use one-hot");
        assertThatThrownBy(() -> fit.standardise(data, ROWS)).hasMessageContaining("name the fields");
        assertThatThrownBy(() -> fit.fill(data, ROWS, "fare")).hasMessageContaining("no field \"fare\"");
        assertThatThrownBy(() -> row(fit.fill(data, ROWS, "deck"), 0)).hasMessageContaining("only f32 and f64");
        assertThatThrownBy(() -> fit.bucketise(data, ROWS, 1, "age")).hasMessageContaining("[2, 100]");
    }

    @Test
    void drift_ofTheSameAndOfOtherData_isNoneAndNamed() {
        Fit fit = fit(passengers(MANY), PASSENGERS);
        Dataset<Passenger> moved = passengers(MANY)
                .map(
                        "moved",
                        each -> new Passenger(
                                each.age() + 10, each.deck(), each.port().isEmpty() ? "" : "port 1"));

        List<Drift> drifts = fit.drift(fit(moved, PASSENGERS));

        assertThat(fit.drift(fit)).allMatch(each -> each.distance() == 0);
        assertThat(drifts).extracting(Drift::field).containsExactly("port", "age", "deck");
        assertThat(drifts.get(0).distance()).isCloseTo(2.0 / 3, within(1e-3));
        assertThat(drifts.get(1).distance()).isCloseTo(0.2, within(0.03));
        assertThat(drifts.get(2).distance()).isZero();
    }

    @Test
    void merge_manyParts_isThatOfOnePass() {
        FitSummary<Tensor> summary = new FitSummary<>(Schema.tensor("x"));
        double[] values = new SplittableRandom(3)
                .doubles(5000)
                .map(u -> Math.floor(u * 3000))
                .toArray();
        FitSummary.Columns all = summary.empty();

        for (double value : values) {
            FitSummary.Columns one = summary.empty();
            summary.add(one, Tensor.scalar(value));
            summary.merge(all, summary.read(summary.write(one)));
        }

        FieldFit merged = all.fields.get("x").get(0).fit();
        FieldFit whole = ofNumbers(values);
        assertThat(merged.percentiles()).isEqualTo(whole.percentiles());
        assertThat(merged.distinct()).isEqualTo(whole.distinct());
        assertThat(merged.mean()).isCloseTo(whole.mean(), within(1e-9 * whole.mean()));
    }
}
