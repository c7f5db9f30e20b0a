package io.penstock.fit;

import com.dynatrace.hash4j.distinctcount.UltraLogLog;
import com.dynatrace.hash4j.hashing.Hashing;
import io.penstock.tensor.Tensor;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is known of one field, or of one component of it. Of texts the numbers are their lengths in bytes. */
final class FieldTally {

    /** Different texts that are counted one by one, and the bytes of the longest one. */
    private static final int VOCABULARY = 10_000;

    private static final int LONGEST = 256;

    /** From here on a number counts as infinite, so that sums of squares do not overflow. */
    private static final double INFINITE = 1e150;

    private final boolean text;
    private long missing;
    private long infinite;
    private Numbers numbers = new Numbers();
    private @Nullable TreeMap<String, Long> texts = new TreeMap<>();
    private @Nullable UltraLogLog distinct;

    FieldTally(boolean text) {
        this.text = text;
    }

    boolean isText() {
        return text;
    }

    void add(double value, long times) {
        if (Double.isNaN(value)) {
            missing += times;
        } else if (Math.abs(value) >= INFINITE) {
            infinite += times;
        } else {
            numbers.add(value, times);
        }
    }

    void add(Tensor bytes) {
        if (bytes.byteSize() == 0) {
            missing++;
            return;
        }
        numbers.add(bytes.byteSize(), 1);
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

    /** Ends the counting one by one. */
    private UltraLogLog distinct() {
        if (distinct == null) {
            distinct = UltraLogLog.create(Numbers.PRECISION);
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
        numbers.merge(later.numbers);
        if (later.texts != null) {
            later.texts.forEach(this::count);
        } else if (later.distinct != null) {
            distinct().add(later.distinct);
        }
    }

    /** What a fit says of it. */
    FieldFit fit() {
        FieldFit found = numbers.fit();
        Map<String, Long> classes = text ? texts == null ? Map.of() : texts : found.classes();
        long values = !text
                ? found.distinct()
                : texts == null ? Math.round(distinct().getDistinctCountEstimate()) : texts.size();
        return new FieldFit(
                text,
                found.values() + missing + infinite,
                missing,
                infinite,
                found.mean(),
                found.deviation(),
                found.min(),
                found.max(),
                found.percentiles(),
                values,
                classes);
    }

    void write(DataOutputStream out) throws IOException {
        out.writeBoolean(text);
        out.writeLong(missing);
        out.writeLong(infinite);
        numbers.write(out);
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
        column.numbers = Numbers.read(in);
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
