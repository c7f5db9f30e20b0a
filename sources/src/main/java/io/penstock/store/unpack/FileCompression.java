package io.penstock.store.unpack;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.penstock.internal.OptionalLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/** The compression of a file, by its name. */
enum FileCompression {
    GZIP(".*\\.t?gz") {
        @Override
        InputStream open(InputStream packed) throws IOException {
            return new GZIPInputStream(packed, BUFFER);
        }
    },
    ZLIB(".*\\.(zz|zlib)") {
        @Override
        InputStream open(InputStream packed) {
            return new InflaterInputStream(packed);
        }
    },
    ZSTD(".*\\.(t?zst|zstd)") {
        @Override
        InputStream open(InputStream packed) throws IOException {
            OptionalLibrary.ZSTD.require("a file in zstd", FileCompression.class);
            return ZstdFile.open(packed);
        }
    },
    NONE("") {
        @Override
        InputStream open(InputStream packed) {
            return packed;
        }
    };

    private static final int BUFFER = 64 * 1024;

    private final Pattern names;

    FileCompression(String names) {
        this.names = Pattern.compile(names, Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    }

    /** The bytes that were compressed. */
    abstract InputStream open(InputStream packed) throws IOException;

    /** Its library is optional, so this is a class of its own. */
    private static final class ZstdFile {

        static InputStream open(InputStream packed) throws IOException {
            return new ZstdInputStreamNoFinalizer(packed);
        }
    }

    static FileCompression of(String key) {
        for (FileCompression packing : values()) {
            if (packing.names.matcher(key).matches()) {
                return packing;
            }
        }
        return NONE;
    }
}
