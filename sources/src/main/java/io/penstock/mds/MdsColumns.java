package io.penstock.mds;

import io.penstock.fault.FormatException;
import io.penstock.table.Row;
import io.penstock.table.TableField;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which columns are read, and how.
 *
 * @param stored    in the order in which they lie in a sample
 * @param chosen    which of them, in the order of the fields
 * @param encodings of those
 * @param names     of the fields
 */
record MdsColumns(List<MdsIndex.Column> stored, List<Integer> chosen, List<MdsEncoding> encodings, List<String> names) {

    private static final String LENGTHS = ".lengths";

    /**
     * Chooses columns by their names; all if none are named.
     * @throws FormatException if there is no such column, or it cannot be read
     */
    static MdsColumns of(List<MdsIndex.Column> stored, List<String> columns, String index) {
        List<String> all = stored.stream().map(MdsIndex.Column::name).toList();
        List<Integer> chosen = new ArrayList<>();
        List<MdsEncoding> encodings = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (String name : columns.isEmpty() ? all : columns) {
            int at = all.indexOf(name);
            if (at < 0 || chosen.contains(at)) {
                throw new FormatException("%s has %s column \"%s\": choose from %s"
                        .formatted(index, at < 0 ? "no" : "only one", name, all));
            }
            MdsEncoding encoding = MdsEncoding.parse(name, stored.get(at).encoding());
            chosen.add(at);
            encodings.add(encoding);
            names.add(name);
            if (encoding.isList()) {
                names.add(name + LENGTHS);
            }
        }
        return new MdsColumns(stored, chosen, encodings, names);
    }

    /** What decides the values, for keys. */
    String words() {
        return "mds 1 " + chosen.stream().map(stored::get).toList();
    }

    /** Whether a sample is needed to say what the fields are. */
    boolean vary() {
        return encodings.stream().anyMatch(MdsEncoding::varies);
    }

    /** @param first the values of a sample; empty if none is needed */
    List<TableField> fields(List<Tensor> first) {
        List<TableField> fields = new ArrayList<>();
        for (MdsEncoding encoding : encodings) {
            String name = names.get(fields.size());
            if (encoding.varies()) {
                Tensor value = first.get(fields.size());
                fields.add(new TableField(name, value.dtype(), value.shape().rank()));
            } else {
                DType dtype = encoding.dtype() == null ? DType.U8 : encoding.dtype();
                fields.add(new TableField(
                        name,
                        dtype,
                        encoding.shape() == null ? 1 : encoding.shape().rank()));
            }
            if (encoding.isList()) {
                fields.add(new TableField(name + LENGTHS, DType.I32, 1));
            }
        }
        return fields;
    }

    /**
     * The row of a sample: the lengths of the values that have none in common (u32), then the values.
     * @throws FormatException if it is damaged
     */
    Row row(ByteBuffer sample) {
        ByteBuffer in = sample.slice().order(ByteOrder.LITTLE_ENDIAN);
        long[] sizes = new long[stored.size()];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = stored.get(i).size();
            if (sizes[i] == 0) {
                if (in.remaining() < Integer.BYTES) {
                    throw new FormatException("is cut off in the lengths of its columns");
                }
                sizes[i] = in.getInt() & 0xFFFF_FFFFL;
            }
        }
        int[] starts = new int[sizes.length];
        int at = in.position();
        for (int i = 0; i < sizes.length; i++) {
            starts[i] = at;
            if (sizes[i] > in.limit() - at) {
                throw new FormatException("has %d bytes in column \"%s\", %d are left"
                        .formatted(sizes[i], stored.get(i).name(), in.limit() - at));
            }
            at += (int) sizes[i];
        }
        if (at != in.limit()) {
            throw new FormatException("has %d bytes more than its columns".formatted(in.limit() - at));
        }
        List<Tensor> values = new ArrayList<>(names.size());
        IntStream.range(0, chosen.size()).forEach(i -> {
            int column = chosen.get(i);
            decode(encodings.get(i), in.slice(starts[column], (int) sizes[column]), names.get(values.size()), values);
        });
        return new Row(names, values);
    }

    private void decode(MdsEncoding encoding, ByteBuffer bytes, String name, List<Tensor> values) {
        try {
            encoding.decode(chosen.size() == stored.size() ? bytes : copy(bytes), values);
        } catch (FormatException e) {
            throw new FormatException("column \"%s\" %s".formatted(name, e.getMessage()), e);
        }
    }

    /** So that a value does not keep in memory what was not chosen. */
    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }
}
