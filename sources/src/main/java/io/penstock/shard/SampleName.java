package io.penstock.shard;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a member's name splits into a sample's key and a part's extension: at the first dot of its last part, as
 * WebDataset does. The extension is made lower case.
 * @see <a href="https://github.com/webdataset/webdataset/blob/main/webdataset/tariterators.py">base_plus_ext</a>
 */
record SampleName(String key, String extension) {

    /** {@code null} if the file is no part of a sample: it has no extension, is hidden, or is {@code __meta__} data. */
    static @Nullable SampleName of(String name) {
        int base = name.lastIndexOf('/') + 1;
        int dot = name.indexOf('.', base);
        if (dot <= base || isMeta(name)) {
            return null;
        }
        return new SampleName(name.substring(0, dot), name.substring(dot + 1).toLowerCase(Locale.ROOT));
    }

    private static boolean isMeta(String name) {
        int slash = name.indexOf('/');
        String first = slash < 0 ? name : name.substring(0, slash);
        return first.length() >= 4 && first.startsWith("__") && first.endsWith("__");
    }
}
