package io.penstock.arrow.internal;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The metadata by which an Arrow message is a batch again: what a server writes, a client reads. */
public final class BatchWords {

    /** The column that says which rows are valid; no field of a Java record has a dot in its name. */
    public static final String MASK = "penstock.mask";

    /** The token to go on at behind a batch. */
    public static final String RESUME = "penstock.resume";

    private static final String DTYPE = "penstock.dtype";
    private static final String SHAPE = "penstock.shape";
    private static final String SIZE = "penstock.size";
    private static final String EPOCH = "penstock.epoch";
    private static final String NEXT_EPOCH = "penstock.next.epoch";
    private static final String NEXT_OFFSET = "penstock.next.offset";

    private BatchWords() {}

    /** Those of a record batch, and more. */
    public static Map<String, String> of(Batch batch, Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(SIZE, Integer.toString(batch.size()));
        all.put(EPOCH, Long.toString(batch.epoch()));
        all.put(NEXT_EPOCH, Long.toString(batch.next().epoch()));
        all.put(NEXT_OFFSET, Long.toString(batch.next().offset()));
        all.putAll(more);
        return all;
    }

    /** The batch that has these words, of columns with a mask among them if it has one. */
    public static Batch batch(Map<String, String> words, Map<String, Tensor> columns) {
        Tensor mask = columns.remove(MASK);
        return new Batch(
                columns,
                Math.toIntExact(number(words, SIZE)),
                mask,
                number(words, EPOCH),
                new Position(number(words, NEXT_EPOCH), number(words, NEXT_OFFSET)),
                () -> {});
    }

    private static long number(Map<String, String> words, String name) {
        return Long.parseLong(required(words, name));
    }

    /** A word that must be there. */
    public static String required(Map<String, String> words, String name) {
        return Objects.requireNonNull(words.get(name), name);
    }

    /** Those of a column. */
    public static Map<String, String> ofColumn(DType dtype, Shape row) {
        Map<String, String> words = new LinkedHashMap<>();
        words.put(DTYPE, dtype.toString());
        words.put(SHAPE, dims(row));
        return words;
    }

    /** The lengths of a row's axes, after commas. */
    public static String dims(Shape row) {
        return Arrays.stream(row.toArray()).mapToObj(Long::toString).collect(Collectors.joining(","));
    }

    /** The shape of a row of a column that has these words. */
    public static Shape row(Map<String, String> words) {
        String dims = words.getOrDefault(SHAPE, "");
        return dims.isEmpty()
                ? Shape.SCALAR
                : Shape.of(Arrays.stream(dims.split(",", -1))
                        .mapToLong(Long::parseLong)
                        .toArray());
    }

    /** The rows of a column that has these words. */
    public static Tensor column(Map<String, String> words, long rows, ByteBuffer data) {
        DType dtype = DType.valueOf(required(words, DTYPE).toUpperCase(Locale.ROOT));
        return Tensor.of(dtype, row(words).prepend(rows), data);
    }

    /** How many buffers a column has: bitmaps of what is null come before its data, for lists and for their items. */
    public static int buffers(Shape row) {
        return row.rank() == 0 ? 2 : 3;
    }
}
