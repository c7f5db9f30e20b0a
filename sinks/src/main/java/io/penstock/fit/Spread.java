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
import java.util.List;
import java.util.stream.IntStream;

/**
 * The moments and sketches of finite numbers. Both sketches are the same in any order of the numbers: logarithmic buckets
 * are counts [1], and an UltraLogLog takes the maximum of each register [2]. Sums of numbers and of their squares have 106
 * bits [3], which a mean far from 0 needs.
 * <p>[1] Masson, Rim, Lee, DDSketch, VLDB 2019. [2] Ertl, UltraLogLog, VLDB 2024. [3] Dekker, A floating-point technique
 * for extending the available precision, 1971.
 */
final class Spread {

    /** The relative error of a quantile. */
    static final double ACCURACY = 0.002;

    /** A relative error of 1.2 % of the number of different values, in 4 KiB. */
    static final int PRECISION = 12;

    private static final MathContext DIGITS = new MathContext(50);

    /** Interpolated by arithmetic alone, so that buckets are the same on every machine, as those of a logarithm are not. */
    private static final IndexMapping BUCKETS = new CubicallyInterpolatedMapping(ACCURACY);

    long count;
    private final Sum sum = new Sum();
    private final Sum squares = new Sum();
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;
    private DDSketch sketch = new DDSketch(BUCKETS, PaginatedStore::new);
    UltraLogLog distinct = UltraLogLog.create(PRECISION);

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

    /** @param value whose square is finite */
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

    /** The mean, the deviation, the smallest and the largest number; {@code NaN} where there are none. */
    double[] moments() {
        if (count == 0) {
            return new double[] {Double.NaN, Double.NaN, Double.NaN, Double.NaN};
        }
        BigDecimal n = BigDecimal.valueOf(count);
        BigDecimal mean = sum.value().divide(n, DIGITS);
        BigDecimal variance =
                squares.value().subtract(sum.value().multiply(mean)).divide(n, DIGITS);
        return new double[] {mean.doubleValue(), Math.sqrt(Math.max(0, variance.doubleValue())), min, max};
    }

    /** The number of values below a percentile. */
    static long rank(int percentile, long count) {
        return (long) (percentile * (count - 1.0) / (FieldFit.PERCENTILES - 1));
    }

    List<Double> percentiles() {
        return IntStream.range(0, FieldFit.PERCENTILES)
                .mapToDouble(
                        i -> rank(i, count) + 0.25) // behind the rank, so that rounding does not take the one before
                .map(rank -> sketch.getValueAtQuantile(Math.min(1, rank / (count - 1))))
                .mapToObj(value -> Math.min(max, Math.max(min, value)))
                .toList();
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
        spread.sketch = DDSketch.decode(ByteArrayInput.wrap(FieldTally.readBytes(in)), PaginatedStore::new, BUCKETS);
        spread.distinct = UltraLogLog.wrap(FieldTally.readBytes(in));
        return spread;
    }
}
