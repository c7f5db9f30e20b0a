package io.penstock.bench.suite;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;

/** A small Zarr writer, and the bare calls of a library that decode each of its codecs without checks. */
enum MadeZarr {
    ZSTD("{\"id\":\"zstd\",\"level\":1}") {
        @Override
        byte[] encode(byte[] chunk) {
            return Zstd.compress(chunk, 1);
        }

        @Override
        void decode(byte[] stored, byte[] chunk) {
            Zstd.decompressByteArray(chunk, 0, chunk.length, stored, 0, stored.length);
        }
    },

    BLOSC_LZ4("{\"id\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1,\"blocksize\":0}") {
        @Override
        byte[] encode(byte[] chunk) {
            return BareBlosc.encode(chunk);
        }

        @Override
        void decode(byte[] stored, byte[] chunk) {
            BareBlosc.decode(stored, chunk);
        }
    },

    GZIP("{\"id\":\"gzip\",\"level\":1}") {
        @Override
        byte[] encode(byte[] chunk) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                gzip.write(chunk);
            }
            return out.toByteArray();
        }

        @Override
        void decode(byte[] stored, byte[] chunk) {
            Inflater inflater = new Inflater(true);
            try {
                inflater.setInput(stored, GZIP_HEADER, stored.length - GZIP_HEADER);
                int at = 0;
                while (at < chunk.length) {
                    at += inflater.inflate(chunk, at, chunk.length - at);
                }
            } catch (DataFormatException e) {
                throw new IllegalStateException(e);
            } finally {
                inflater.end();
            }
        }
    };

    private static final int GZIP_HEADER = 10;

    private final String config;

    MadeZarr(String config) {
        this.config = config;
    }

    abstract byte[] encode(byte[] chunk) throws IOException;

    abstract void decode(byte[] stored, byte[] chunk);

    /** Writes {@code f32[rows, rowFloats]}: a slow wave with noise in its lower bits, as measurements are. */
    void write(Path folder, int rows, int rowFloats, int chunkRows) throws IOException {
        String metadata = ("{\"zarr_format\":2,\"shape\":[%d,%d],\"chunks\":[%d,%d],\"dtype\":\"<f4\",\"order\":\"C\","
                        + "\"compressor\":%s,\"filters\":null,\"fill_value\":0}")
                .formatted(rows, rowFloats, chunkRows, rowFloats, config);
        Files.writeString(folder.resolve(".zarray"), metadata);
        SplittableRandom random = new SplittableRandom(1);
        ByteBuffer chunk =
                ByteBuffer.allocate(chunkRows * rowFloats * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < rows / chunkRows; i++) {
            for (int j = 0; j < chunkRows * rowFloats; j++) {
                float wave = (float) Math.sin((i + 1) * j / 5000.0) * 100;
                int bits = Float.floatToRawIntBits(wave) & ~0xFFFF | random.nextInt(1 << 8) << 8;
                chunk.putInt(Float.BYTES * j, bits);
            }
            Files.write(folder.resolve(i + ".0"), encode(chunk.array()));
        }
    }
}
