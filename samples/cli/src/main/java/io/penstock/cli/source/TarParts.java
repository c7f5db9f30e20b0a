package io.penstock.cli.source;

import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.write.Npy;
import io.penstock.write.TarWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Samples as parts that other readers of WebDataset's layout know. */
public final class TarParts {

    static final String PIXELS = "pixels";
    static final String LABEL = "label";
    static final String CLASS_PART = "cls";

    static final String VALUES = "values";
    public static final String BYTES = "bytes";
    private static final String BYTES_PART = "bin";
    private static final String ARRAY_PART = ".npy";

    private TarParts() {}

    /** A label becomes {@code cls}, a number as text; bytes become {@code bin}; an array becomes {@code NAME.npy}. */
    public static <T> TarWriter<T> writer(Schema<T> schema) {
        List<String> names = schema.names();
        return TarWriter.ofParts(value -> {
            List<Tensor> fields = schema.flatten(value);
            Map<String, Tensor> parts = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                put(parts, names.get(i), fields.get(i));
            }
            return parts;
        });
    }

    static String array(String field) {
        return field + ARRAY_PART;
    }

    private static void put(Map<String, Tensor> parts, String name, Tensor field) {
        switch (name) {
            case LABEL -> parts.put(CLASS_PART, Tensor.utf8(Long.toString(field.longAt(0))));
            case BYTES -> parts.put(BYTES_PART, field);
            default -> parts.put(array(name), Npy.encode(field));
        }
    }
}
