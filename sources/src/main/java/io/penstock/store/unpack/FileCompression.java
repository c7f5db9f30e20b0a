package io.penstock.store.unpack;

import io.penstock.internal.OptionalLibrary;
import io.penstock.store.internal.InflatedStream;
import io.penstock.store.internal.ZstdStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Pattern;

/** The compression of a file, by its name. */
enum FileCompression {
    GZIP(".*\\.t?gz") {
        @Override
        InputStream open(InputStream packed) {
            return new InflatedStream(packed, InflatedStream.Form.GZIP);
        }
    },
    ZLIB(".*\\.(zz|zlib)") {
        @Override
        InputStream open(InputStream packed) {
            return new InflatedStream(packed, InflatedStream.Form.ZLIB);
        }
    },
    ZSTD(".*\\.(t?zst|zstd)") {
        @Override
        InputStream open(InputStream packed) throws IOException {
            OptionalLibrary.ZSTD.require("a file in zstd", FileCompression.class);
            return ZstdStream.open(packed);
        }
    },
    NONE("") {
        @Override
        InputStream open(InputStream packed) {
            return packed;
        }
    };

    private final Pattern names;

    FileCompression(String names) {
        this.names = Pattern.compile(names, Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    }

    /** The bytes that were compressed. */
    abstract InputStream open(InputStream packed) throws IOException;

    static FileCompression of(String key) {
        for (FileCompression packing : values()) {
            if (packing.names.matcher(key).matches()) {
                return packing;
            }
        }
        return NONE;
    }
}
