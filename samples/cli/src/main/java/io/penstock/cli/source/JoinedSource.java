package io.penstock.cli.source;

import io.penstock.internal.Arguments;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Join;
import io.penstock.table.Row;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.regex.Pattern;

/**
 * A source whose samples have a key: of a table the first column's value, else the name; both without an extension.
 *
 * @param rows    its samples as rows
 * @param isTable whether it has such a column
 * @param folder  what keys of a table begin with, besides
 */
record JoinedSource(Cacheable<Row> rows, boolean isTable, String folder) {

    private static final String HAS = "joined";
    private static final Pattern EXTENSION = Pattern.compile("(?<=[^/])[.][^./]*$"); // of a name that is more than it

    static Cacheable<Row> ofPictures(Cacheable<Picture> pictures) {
        return of(
                pictures,
                List.of("pixels", "label"),
                picture -> List.of(picture.pixels(), Tensor.scalar(picture.label())));
    }

    static Cacheable<Row> ofTensors(Cacheable<Tensor> tensors) {
        return of(tensors, tensors.schema().names(), List::of);
    }

    private static <T> Cacheable<Row> of(Cacheable<T> source, List<String> names, Function<T, List<Tensor>> values) {
        Dataset<Row> rows = source.dataset().map("row", sample -> new Row(names, values.apply(sample)));
        return new Cacheable<>(rows, Row.schema(names), 0, source.classes(), source.listing(), List.of());
    }

    /**
     * Its samples with those of another that have the same key. Blocks: the first column of a table is read.
     * @param inner whether samples without a partner are left out; else the field {@code joined} tells, and the other
     *     fields of the partner are zero or empty
     * @throws IllegalArgumentException if both have a field of one name, or no keys are equal
     */
    Cacheable<Row> join(JoinedSource other, boolean inner) {
        List<String> names = new ArrayList<>(rows.schema().names());
        for (String name : other.rows.schema().names()) {
            Arguments.refuse(
                    names.contains(name), "both sides of --join have a field \"%s\": choose the columns of one", name);
            names.add(name);
        }
        if (!inner) {
            names.add(HAS);
        }
        List<String> all = List.copyOf(names);
        List<Tensor> none = inner ? List.of() : blanks(other.rows.dataset());
        Join join = (inner ? Join.inner() : Join.left()).by(keys(), other.keys());
        Dataset<Row> joined = rows.dataset()
                .join(inner ? "join" : "join or zeros", other.rows.dataset(), join, (left, right) -> {
                    List<Tensor> values = new ArrayList<>(left.values());
                    values.addAll(right == null ? none : right.values());
                    if (!inner) {
                        values.add(Tensor.scalar(right != null));
                    }
                    return new Row(all, values);
                });
        return new Cacheable<>(joined, Row.schema(all), 0);
    }

    /** What the first row has, but nothing in it. Blocks. */
    private static List<Tensor> blanks(Dataset<Row> dataset) {
        Row first = Objects.requireNonNull(dataset.get(0).block(), "a row");
        return first.values().stream().map(JoinedSource::blank).toList();
    }

    private static Tensor blank(Tensor like) {
        long[] dims = like.shape().toArray();
        if (dims.length > 0) {
            dims[0] = 0;
        }
        return Tensor.of(like.dtype(), Shape.of(dims), ByteBuffer.allocate(dims.length > 0 ? 0 : like.byteSize()));
    }

    private LongFunction<String> keys() {
        Dataset<Row> dataset = rows.dataset();
        if (!isTable) {
            return index -> withoutExtension(dataset.name(index));
        }
        List<String> keys = dataset.stream(Sampler.sequential())
                .map(sample ->
                        folder + withoutExtension(key(sample.value().values().get(0))))
                .collectList()
                .blockOptional()
                .orElseThrow();
        return index -> keys.get((int) index);
    }

    private static String key(Tensor value) {
        if (!value.isText() && value.shape().rank() != 0) {
            throw new IllegalArgumentException(
                    "the first column of a table is the key of --join, a text or a number, was " + value.type());
        }
        return value.isText() ? value.toText() : Long.toString(value.longAt(0));
    }

    private static String withoutExtension(String name) {
        return EXTENSION.matcher(name).replaceFirst("");
    }
}
