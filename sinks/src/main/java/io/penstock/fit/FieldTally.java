package io.penstock.fit;

import com.dynatrace.hash4j.distinctcount.UltraLogLog;
import com.dynatrace.hash4j.hashing.Hashing;
import io.penstock.tensor.Tensor;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one field, or of one component of it: how often each value occurs while they are few, else sketches. Of
 * texts the numbers are their lengths in bytes.
 */
final class FieldTally {

    /** Different numbers that are counted one by one. */
    private static final int FEW = 1024;

    /** Different texts that are counted one by one, and the bytes of the longest one. */
    private static final int VOCABULARY = 10_000;

    private static final int LONGEST = 256;

    /** From here on a number counts as infinite, so that sums of squares do not overflow. */
    private static final double INFINITE = 1e150;

    final boolean text;
    private long missing;
    private long infinite;
    private @Nullable Map<Double, Long> numbers = new HashMap<>();
    private @Nullable Spread spread;
    private @Nullable TreeMap<String, Long> texts = new TreeMap<>();
    private @Nullable UltraLogLog distinct;

    FieldTally(boolean text) {
        this.text = text;
    }

    void add(double value, long times) {
        double positive = value + 0.0; // -0 is 0
        if (Double.isNaN(value)) {
            missing += times;
        } else if (Math.abs(value) >= INFINITE) {
            infinite += times;
        } else if (numbers == null) {
            spread().add(positive, times);
        } else {
            numbers.merge(positive, times, Long::sum);
            if (numbers.size() > FEW) {
                spread();
            }
        }
    }

    void add(Tensor bytes) {
        if (bytes.byteSize() == 0) {
            missing++;
            return;
        }
        add(bytes.byteSize(), 1);
        if (texts == null || bytes.byteSize() > LONGEST) {
            distinct().add(hash(bytes.toByteArray()));
        } else {
            count(bytes.toText(), 1L);
        }
    }

    private void count(String word, long times) {
        if (texts == null) {
            distinct().add(hash(word.getBytes(StandardCharsets.UTF_8)));
            return;
        }
        texts.merge(word, times, Long::sum);
        if (texts.size() > VOCABULARY) {
            distinct();
        }
    }

    /** Ends the counting of numbers one by one. Sorted, so that sums do not depend on the order of a hash table. */
    private Spread spread() {
        Spread made = spread == null ? new Spread() : spread;
        if (numbers != null) {
            new TreeMap<>(numbers).forEach(made::add);
            numbers = null;
        }
        spread = made;
        return made;
    }

    /** Ends the counting of texts one by one. */
    private UltraLogLog distinct() {
        if (distinct == null) {
            distinct = UltraLogLog.create(Spread.PRECISION);
        }
        if (texts != null) {
            for (String word : texts.keySet()) {
                distinct.add(hash(word.getBytes(StandardCharsets.UTF_8)));
            }
            texts = null;
        }
        return distinct;
    }

    private static long hash(byte[] bytes) {
        return Hashing.xxh3_64().hashBytesToLong(bytes);
    }

    void merge(FieldTally later) {
        missing += later.missing;
        infinite += later.infinite;
        if (later.numbers != null) {
            new TreeMap<>(later.numbers).forEach(this::add);
        } else if (later.spread != null) {
            spread().merge(later.spread);
        }
        if (later.texts != null) {
            later.texts.forEach(this::count);
        } else if (later.distinct != null) {
            distinct().add(later.distinct);
        }
    }

    /** What a fit says of it. */
    FieldFit fit() {
        Spread all = numbers == null ? spread() : new Spread();
        Map<Double, Long> sorted = numbers == null ? Map.of() : new TreeMap<>(numbers);
        sorted.forEach(all::add);
        List<Double> percentiles = numbers == null ? all.percentiles() : percentiles(sorted, all.count);
        long estimate = Math.round(all.distinct.getDistinctCountEstimate());
        long different = numbers == null ? Math.max(FEW + 1, estimate) : sorted.size();
        Map<String, Long> classes = new LinkedHashMap<>();
        if (!text) {
            sorted.forEach((value, times) -> classes.put(FieldFit.word(value), times));
        } else if (texts == null) {
            different = Math.round(distinct().getDistinctCountEstimate());
        } else {
            different = texts.size();
            classes.putAll(texts);
        }
        long values = all.count + missing + infinite;
        double[] of = all.moments();
        return new FieldFit(
                text, values, missing, infinite, of[0], of[1], of[2], of[3], percentiles, different, classes);
    }

    private static List<Double> percentiles(Map<Double, Long> sorted, long count) {
        List<Double> percentiles = new ArrayList<>();
        long passed = 0;
        for (Map.Entry<Double, Long> each : sorted.entrySet()) {
            passed += each.getValue();
            while (percentiles.size() < FieldFit.PERCENTILES && Spread.rank(percentiles.size(), count) < passed) {
                percentiles.add(each.getKey());
            }
        }
        return percentiles;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeBoolean(text);
        out.writeLong(missing);
        out.writeLong(infinite);
        out.writeBoolean(numbers != null);
        if (numbers == null) {
            spread().write(out);
        } else {
            out.writeInt(numbers.size());
            for (Map.Entry<Double, Long> each : new TreeMap<>(numbers).entrySet()) {
                out.writeDouble(each.getKey());
                out.writeLong(each.getValue());
            }
        }
        if (text) {
            out.writeBoolean(texts != null);
            if (texts == null) {
                writeBytes(out, distinct().getState());
            } else {
                out.writeInt(texts.size());
                for (Map.Entry<String, Long> each : texts.entrySet()) {
                    writeBytes(out, each.getKey().getBytes(StandardCharsets.UTF_8));
                    out.writeLong(each.getValue());
                }
            }
        }
    }

    static FieldTally read(DataInputStream in) throws IOException {
        FieldTally column = new FieldTally(in.readBoolean());
        column.missing = in.readLong();
        column.infinite = in.readLong();
        if (in.readBoolean()) {
            for (int left = in.readInt(); left > 0; left--) {
                column.add(in.readDouble(), in.readLong());
            }
        } else {
            column.numbers = null;
            column.spread = Spread.read(in);
        }
        if (column.text && in.readBoolean()) {
            for (int left = in.readInt(); left > 0; left--) {
                column.count(new String(readBytes(in), StandardCharsets.UTF_8), in.readLong());
            }
        } else if (column.text) {
            column.distinct().add(UltraLogLog.wrap(readBytes(in)));
        }
        return column;
    }

    static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    static byte[] readBytes(DataInputStream in) throws IOException {
        return in.readNBytes(in.readInt());
    }
}
