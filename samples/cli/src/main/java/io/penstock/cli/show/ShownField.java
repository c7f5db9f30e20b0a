package io.penstock.cli.show;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.tensor.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code show} says of a field.
 *
 * @param name   of the field
 * @param dtype  of its elements
 * @param shape  of the whole source where it is one array, else of one sample; null where samples differ
 * @param type   of the elements in a Zarr array's own words, such as {@code <M8[ns]}; null elsewhere
 * @param chunks what lies under one key of a Zarr array; null elsewhere
 * @param codecs of a Zarr array, in the order in which they wrote
 */
record ShownField(
        String name,
        String dtype,
        @Nullable Shape shape,
        @Nullable String type,
        @Nullable Shape chunks,
        List<String> codecs) {

    /** A field whose samples have shapes of their own. */
    static ShownField varying(String name, String dtype) {
        return new ShownField(name, dtype, null, null, null, List.of());
    }

    static ShownField of(String name, String dtype, Shape shape) {
        return new ShownField(name, dtype, shape, null, null, List.of());
    }

    void write(ObjectNode node) {
        node.put("name", name).put("dtype", dtype);
        write(node, "shape", shape);
        if (chunks != null) {
            node.put("data_type", type);
            write(node, "chunks", chunks);
            codecs.forEach(node.putArray("codecs")::add);
        }
    }

    private static void write(ObjectNode node, String key, @Nullable Shape lengths) {
        if (lengths == null) {
            node.putNull(key);
            return;
        }
        var array = node.putArray(key);
        for (long length : lengths.toArray()) {
            array.add(length);
        }
    }

    @Override
    public String toString() {
        String what = name + " " + dtype + (shape == null ? "[varies]" : shape);
        return chunks == null ? what : "%s, data type %s, chunks %s, codecs %s".formatted(what, type, chunks, codecs);
    }
}
