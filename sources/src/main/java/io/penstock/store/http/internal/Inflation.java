package io.penstock.store.http.internal;

import io.penstock.store.internal.InflatedStream;
import io.penstock.store.internal.InflatedStream.Form;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Decompresses the body of a reply. Both sides are in memory, and both are bounded. */
enum Inflation {
    NONE,
    GZIP,
    DEFLATE;

    /** The encoding that a {@code Content-Encoding} names. */
    static Inflation of(@Nullable String encoding) {
        String name = encoding == null ? "" : encoding.strip().toLowerCase(Locale.ROOT);
        return switch (name) {
            case "", "identity" -> NONE;
            case "gzip", "x-gzip" -> GZIP;
            case "deflate" -> DEFLATE;
            default ->
                throw HttpFault.lasting(
                        "content encoding is \"%s\"".formatted(Words.plain(name)), "gzip and deflate are understood");
        };
    }

    /** The bytes before they were compressed; an array of exactly their number. */
    byte[] inflate(byte[] bytes, int length, long max) {
        if (this == NONE) {
            return bytes.length == length ? bytes : Arrays.copyOf(bytes, length);
        }
        try (InflatedStream in = new InflatedStream(new ByteArrayInputStream(bytes, 0, length), form(bytes))) {
            byte[] inflated = in.readNBytes((int) max);
            if (in.read() >= 0) {
                throw HttpFault.lasting(
                        "its %d bytes inflate to more than %d".formatted(length, max),
                        "raise maxObjectBytes if it is no decompression bomb");
            }
            return inflated;
        } catch (IOException e) {
            throw HttpFault.passing(
                    "its bytes are not valid %s: %s".formatted(name().toLowerCase(Locale.ROOT), e.getMessage()),
                    "check the server");
        }
    }

    private Form form(byte[] bytes) {
        if (this == GZIP) {
            return Form.GZIP;
        }
        // servers disagree on whether deflate has zlib's two bytes in front
        boolean zlib =
                bytes.length >= 2 && (bytes[0] & 0x0f) == 8 && (((bytes[0] & 0xff) << 8) | (bytes[1] & 0xff)) % 31 == 0;
        return zlib ? Form.ZLIB : Form.RAW;
    }
}
