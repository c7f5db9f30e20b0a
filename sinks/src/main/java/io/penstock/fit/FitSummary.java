package io.penstock.fit;

import io.penstock.fault.FormatException;
import io.penstock.pipeline.Summary;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** The columns of all fields of samples. */
record FitSummary<T>(Schema<T> schema) implements Summary<T, FitSummary.Columns> {

    /** What is in the bytes and how it is found. */
    static final int VERSION = 1;

    private static final int FEATURES = 64;
    private static final int CHANNELS = 4;
    private static final int BYTE_VALUES = 256;

    static final class Columns {
        long samples;
        final Map<String, List<FieldTally>> fields = new LinkedHashMap<>();
    }

    @Override
    public Columns empty() {
        return new Columns();
    }

    @Override
    public void add(Columns into, T sample) {
        List<String> names = schema.names();
        List<Tensor> values = schema.flatten(sample);
        for (int i = 0; i < values.size(); i++) {
            add(into, names.get(i), values.get(i));
        }
        into.samples++;
    }

    private static void add(Columns into, String name, Tensor value) {
        int components = components(value);
        List<FieldTally> columns = columns(into, name, components, value.isText());
        int elements = (int) value.shape().elements();
        if (value.isText()) {
            columns.get(0).add(value);
        } else if (value.dtype() == DType.U8 && elements > BYTE_VALUES) {
            addBytes(value, columns, elements);
        } else {
            for (int i = 0; i < elements; i++) {
                columns.get(i % components).add(value.doubleAt(i), 1);
            }
        }
    }

    /** Of pixels: 256 counts a channel rather than each by itself. */
    private static void addBytes(Tensor value, List<FieldTally> columns, int elements) {
        int components = columns.size();
        long[][] counts = new long[components][BYTE_VALUES];
        ByteBuffer bytes = value.data();
        for (int i = 0; i < elements; i++) {
            counts[i % components][bytes.get(i) & 0xFF]++;
        }
        for (int component = 0; component < components; component++) {
            for (int pixel = 0; pixel < BYTE_VALUES; pixel++) {
                if (counts[component][pixel] > 0) {
                    columns.get(component).add(pixel, counts[component][pixel]);
                }
            }
        }
    }

    /** The columns of a field, which are new of the first sample. */
    private static List<FieldTally> columns(Columns into, String name, int components, boolean text) {
        List<FieldTally> columns = into.fields.computeIfAbsent(
                name,
                any -> Stream.generate(() -> new FieldTally(text))
                        .limit(components)
                        .toList());
        if (columns.size() != components || columns.get(0).text != text) {
            throw new IllegalArgumentException(
                    "field \"%s\" cannot be fitted: it has %d components in some samples and %d in others"
                            .formatted(name, columns.size(), components));
        }
        return columns;
    }

    /** The channels of a picture and the features of a window have statistics of their own. */
    static int components(Tensor value) {
        Shape shape = value.shape();
        long last = shape.rank() == 0 ? 1 : shape.dim(shape.rank() - 1);
        boolean apart = shape.rank() == 2
                ? value.dtype() != DType.U8 && last <= FEATURES
                : shape.rank() > 2 && last <= CHANNELS;
        return apart ? (int) Math.max(1, last) : 1;
    }

    @Override
    public void merge(Columns into, Columns later) {
        into.samples += later.samples;
        later.fields.forEach((name, columns) -> {
            List<FieldTally> ours = columns(into, name, columns.size(), columns.get(0).text);
            for (int i = 0; i < ours.size(); i++) {
                ours.get(i).merge(columns.get(i));
            }
        });
    }

    @Override
    public byte[] write(Columns summary) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
            out.writeLong(summary.samples);
            out.writeInt(summary.fields.size());
            for (Map.Entry<String, List<FieldTally>> field : summary.fields.entrySet()) {
                out.writeUTF(field.getKey());
                out.writeInt(field.getValue().size());
                for (FieldTally column : field.getValue()) {
                    column.write(out);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write to memory", e);
        }
        return bytes.toByteArray();
    }

    @Override
    public Columns read(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(bytes)))) {
            Columns columns = new Columns();
            columns.samples = in.readLong();
            for (int left = in.readInt(); left > 0; left--) {
                List<FieldTally> field = new ArrayList<>();
                columns.fields.put(in.readUTF(), field);
                for (int components = in.readInt(); components > 0; components--) {
                    field.add(FieldTally.read(in));
                }
            }
            return columns;
        } catch (IOException | RuntimeException e) {
            throw new FormatException("a part of a fit that was kept cannot be read; delete its folder", e);
        }
    }
}
