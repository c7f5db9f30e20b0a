package io.penstock.fit;

import com.datadoghq.sketch.ddsketch.DDSketch;
import com.datadoghq.sketch.ddsketch.encoding.ByteArrayInput;
import com.datadoghq.sketch.ddsketch.encoding.GrowingByteArrayOutput;
import com.datadoghq.sketch.ddsketch.mapping.CubicallyInterpolatedMapping;
import com.datadoghq.sketch.ddsketch.mapping.IndexMapping;
import com.datadoghq.sketch.ddsketch.store.PaginatedStore;
import com.dynatrace.hash4j.distinctcount.UltraLogLog;
import com.dynatrace.hash4j.hashing.Hashing;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finite numbers: how often each occurs while they are few, else their moments and sketches. Both sketches are the same in
 * any order of the numbers: logarithmic buckets are counts [1], and an UltraLogLog takes the maximum of each register [2].
 * Sums of numbers and of their squares have 106 bits [3], which a mean far from 0 needs.
 * <p>[1] Masson, Rim, Lee, DDSketch, VLDB 2019. [2] Ertl, UltraLogLog, VLDB 2024. [3] Dekker, A floating-point technique
 * for extending the available precision, 1971.
 */
final class Numbers {

    /** Different numbers that are counted one by one. */
    static final int FEW = 1024;

    /** The relative error of a quantile. */
    static final double ACCURACY = 0.002;

    /** A relative error of 1.2 % of the number of different values, in 4 KiB. */
    static final int PRECISION = 12;

    private static final MathContext DIGITS = new MathContext(50);

    /** Interpolated by arithmetic alone, so that buckets are the same on every machine, as those of a logarithm are not. */
    private static final IndexMapping BUCKETS = new CubicallyInterpolatedMapping(ACCURACY);

    private @Nullable Map<Double, Long> counts = new HashMap<>();
    private @Nullable Spread spread;

    /** A sum as two doubles. */
    private static final class Sum {

        double high;
        double low;

        void add(double value, double error) {
            double sum = high + value;
            double part = sum - high;
            double lost = (high - (sum - part)) + (value - part);
            double rest = low + lost + error;
            high = sum + rest;
            low = rest - (high - sum);
        }

        BigDecimal value() {
            return new BigDecimal(high).add(new BigDecimal(low));
        }
    }

    private static final class Spread {

        long count;
        final Sum sum = new Sum();
        final Sum squares = new Sum();
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        DDSketch sketch = new DDSketch(BUCKETS, PaginatedStore::new);
        UltraLogLog distinct = UltraLogLog.create(PRECISION);

        void add(double value, long times) {
            min = Math.min(min, value);
            max = Math.max(max, value);
            sketch.accept(value, (double) times);
            distinct.add(Hashing.xxh3_64().hashLongToLong(Double.doubleToLongBits(value)));
            count += times;
            double weight = (double) times;
            double product = value * weight;
            sum.add(product, Math.fma(value, weight, -product));
            double square = value * value;
            double squareError = Math.fma(value, value, -square);
            product = square * weight;
            squares.add(product, Math.fma(square, weight, -product) + squareError * weight);
        }

        void merge(Spread other) {
            count += other.count;
            sum.add(other.sum.high, other.sum.low);
            squares.add(other.squares.high, other.squares.low);
            min = Math.min(min, other.min);
            max = Math.max(max, other.max);
            sketch.mergeWith(other.sketch);
            distinct.add(other.distinct);
        }

        FieldFit fit(List<Double> percentiles, long different, Map<String, Long> classes) {
            BigDecimal n = BigDecimal.valueOf(count);
            BigDecimal mean = sum.value().divide(n, DIGITS);
            double variance = squares.value()
                    .subtract(sum.value().multiply(mean))
                    .divide(n, DIGITS)
                    .doubleValue();
            double deviation = Math.sqrt(Math.max(0, variance));
            return new FieldFit(
                    false, count, 0, 0, mean.doubleValue(), deviation, min, max, percentiles, different, classes);
        }

        void write(DataOutputStream out) throws IOException {
            out.writeLong(count);
            for (double each : new double[] {sum.high, sum.low, squares.high, squares.low, min, max}) {
                out.writeDouble(each);
            }
            GrowingByteArrayOutput bytes = GrowingByteArrayOutput.withDefaultInitialCapacity();
            sketch.encode(bytes, true);
            FieldTally.writeBytes(out, bytes.trimmedCopy());
            FieldTally.writeBytes(out, distinct.getState());
        }

        static Spread read(DataInputStream in) throws IOException {
            Spread spread = new Spread();
            spread.count = in.readLong();
            spread.sum.add(in.readDouble(), in.readDouble());
            spread.squares.add(in.readDouble(), in.readDouble());
            spread.min = in.readDouble();
            spread.max = in.readDouble();
            spread.sketch =
                    DDSketch.decode(ByteArrayInput.wrap(FieldTally.readBytes(in)), PaginatedStore::new, BUCKETS);
            spread.distinct = UltraLogLog.wrap(FieldTally.readBytes(in));
            return spread;
        }
    }

    /** @param value whose square is finite */
    void add(double value, long times) {
        double positive = value + 0.0; // -0 is 0
        if (counts == null) {
            spread().add(positive, times);
        } else {
            counts.merge(positive, times, Long::sum);
            if (counts.size() > FEW) {
                spread();
            }
        }
    }

    /** Ends the counting one by one. Sorted, so that sums do not depend on the order of a hash table. */
    private Spread spread() {
        Spread made = spread == null ? new Spread() : spread;
        if (counts != null) {
            new TreeMap<>(counts).forEach(made::add);
            counts = null;
        }
        spread = made;
        return made;
    }

    void merge(Numbers later) {
        if (later.counts != null) {
            new TreeMap<>(later.counts).forEach(this::add);
        } else if (later.spread != null) {
            spread().merge(later.spread);
        }
    }

    /** What a fit says of all; {@code NaN} where there are none. */
    FieldFit fit() {
        Map<String, Long> classes = new LinkedHashMap<>();
        if (counts == null) {
            Spread all = spread();
            List<Double> percentiles = new ArrayList<>();
            for (int i = 0; i < FieldFit.PERCENTILES; i++) {
                double rank =
                        rank(i, all.count) + 0.25; // behind the rank, so that rounding does not take the one before
                double value = all.sketch.getValueAtQuantile(Math.min(1, rank / (all.count - 1)));
                percentiles.add(Math.min(all.max, Math.max(all.min, value)));
            }
            long distinct = Math.max(FEW + 1, Math.round(all.distinct.getDistinctCountEstimate()));
            return all.fit(percentiles, distinct, classes);
        }
        if (counts.isEmpty()) {
            double none = Double.NaN;
            return new FieldFit(false, 0, 0, 0, none, none, none, none, List.of(), 0, classes);
        }
        Map<Double, Long> sorted = new TreeMap<>(counts);
        Spread exact = new Spread();
        sorted.forEach(exact::add);
        sorted.forEach((value, times) -> classes.put(FieldFit.word(value), times));
        return exact.fit(percentiles(sorted, exact.count), classes.size(), classes);
    }

    /** The number of values below a percentile. */
    private static long rank(int percentile, long count) {
        return (long) (percentile * (count - 1.0) / (FieldFit.PERCENTILES - 1));
    }

    private static List<Double> percentiles(Map<Double, Long> sorted, long count) {
        List<Double> percentiles = new ArrayList<>();
        long passed = 0;
        for (Map.Entry<Double, Long> each : sorted.entrySet()) {
            passed += each.getValue();
            while (percentiles.size() < FieldFit.PERCENTILES && rank(percentiles.size(), count) < passed) {
                percentiles.add(each.getKey());
            }
        }
        return percentiles;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeBoolean(counts != null);
        if (counts == null) {
            spread().write(out);
            return;
        }
        out.writeInt(counts.size());
        for (Map.Entry<Double, Long> each : new TreeMap<>(counts).entrySet()) {
            out.writeDouble(each.getKey());
            out.writeLong(each.getValue());
        }
    }

    static Numbers read(DataInputStream in) throws IOException {
        Numbers numbers = new Numbers();
        if (!in.readBoolean()) {
            numbers.counts = null;
            numbers.spread = Spread.read(in);
            return numbers;
        }
        Map<Double, Long> counts = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            counts.put(in.readDouble(), in.readLong());
        }
        numbers.counts = counts;
        return numbers;
    }
}
