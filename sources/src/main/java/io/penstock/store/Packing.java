package io.penstock.store;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** How a file is compressed, by its name. */
enum Packing {
    GZIP(".gz", ".tgz") {
        @Override
        InputStream open(InputStream packed) throws IOException {
            return new GZIPInputStream(packed, BUFFER);
        }
    },
    ZSTD(".zst", ".tzst", ".zstd") {
        @Override
        InputStream open(InputStream packed) throws IOException {
            return new ZstdInputStreamNoFinalizer(packed);
        }
    },
    NONE {
        @Override
        InputStream open(InputStream packed) {
            return packed;
        }
    };

    private static final int BUFFER = 64 * 1024;

    private final String[] endings;

    Packing(String... endings) {
        this.endings = endings;
    }

    /** The bytes that were compressed. */
    abstract InputStream open(InputStream packed) throws IOException;

    static Packing of(String key) {
        String name = key.toLowerCase(Locale.ROOT);
        for (Packing packing : values()) {
            for (String ending : packing.endings) {
                if (name.endsWith(ending)) {
                    return packing;
                }
            }
        }
        return NONE;
    }
}
