package io.penstock.zarr.internal.codec;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.element.MetadataJson;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.tukaani.xz.BasicArrayCache;
import org.tukaani.xz.DeltaInputStream;
import org.tukaani.xz.LZMA2InputStream;
import org.tukaani.xz.LZMAInputStream;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.XZInputStream;

/**
 * numcodecs' {@code lzma}: xz streams, the older .lzma format, or raw ones whose filters the metadata lists. Decoded by
 * XZ for Java, which is optional.
 *
 * <p>A dictionary takes at most as many bytes as the chunk where we choose its size; an xz stream's own header chooses
 * it there, up to {@value #MAX_KIB} KiB.
 * @see <a href="https://docs.python.org/3/library/lzma.html#specifying-custom-filter-chains">Python's filter chains</a>
 */
record Lzma(int format, List<Filter> filters) implements BytesToBytes {

    private static final int XZ = 1;
    private static final int ALONE = 2;
    private static final int RAW = 3;
    private static final int ALONE_HEADER = 13;
    private static final int SLACK = 1 << 16;
    private static final int MAX_KIB = 128 << 10;

    /** A step of a raw stream, with the values that Python has for what is left out. */
    record Filter(long id, int distance, int lc, int lp, int pb) {
        private static final long DELTA = 3;
        private static final long LZMA2 = 33;
        private static final long LZMA1 = 0x4000_0000_0000_0001L;

        static Filter of(JsonNode config, boolean last) {
            long id = MetadataJson.integer(MetadataJson.object(config, "filter").path("id"), "id of a filter");
            if (last ? id != LZMA1 && id != LZMA2 : id != DELTA) {
                throw new FormatException("filters of codec \"lzma\" must be delta, any number of them, then LZMA1 or "
                        + "LZMA2: %s is out of place or not supported".formatted(MetadataJson.brief(config)));
            }
            return new Filter(
                    id,
                    MetadataJson.integer(
                            config, "dist", 1, DeltaInputStream.DISTANCE_MIN, DeltaInputStream.DISTANCE_MAX),
                    MetadataJson.integer(config, "lc", 3, 0, 4),
                    MetadataJson.integer(config, "lp", 0, 0, 4),
                    MetadataJson.integer(config, "pb", 2, 0, 4));
        }

        private InputStream decoding(InputStream in, int dictionary) throws IOException {
            if (id == DELTA) {
                return new DeltaInputStream(in, distance);
            }
            return id == LZMA2
                    ? new LZMA2InputStream(in, dictionary)
                    : new LZMAInputStream(in, -1, lc, lp, pb, dictionary, null);
        }
    }

    /**
     * @throws FormatException if the settings ask for what cannot be read
     * @throws NoClassDefFoundError if the library is not there
     */
    static Lzma of(JsonNode config) {
        BasicArrayCache.getInstance(); // of the library: found to be missing when an array is opened, not at each chunk
        int format = MetadataJson.integer(config, "format", XZ, XZ, RAW);
        return new Lzma(format, format == RAW ? filters(config.path("filters")) : List.of());
    }

    private static List<Filter> filters(JsonNode listed) {
        List<Filter> filters = new ArrayList<>();
        for (JsonNode one : MetadataJson.array(listed, "filters")) {
            filters.add(Filter.of(one, filters.size() == listed.size() - 1));
        }
        if (filters.isEmpty()) {
            throw new FormatException("codec \"lzma\" of format 3 must list its filters, has none");
        }
        return List.copyOf(filters);
    }

    @Override
    public String name() {
        return "lzma";
    }

    @Override
    public byte[] decode(byte[] encoded, int max) {
        return Compression.checked(name(), encoded, () -> {
            try {
                return Compression.all(stream(encoded, max), max);
            } catch (MemoryLimitException e) {
                throw new FormatException(
                        "its dictionary needs %d KiB, at most %d KiB are taken".formatted(e.getMemoryNeeded(), MAX_KIB),
                        e);
            }
        });
    }

    private InputStream stream(byte[] encoded, int max) throws IOException {
        InputStream in = new ByteArrayInputStream(encoded);
        return switch (format) {
            case XZ -> new XZInputStream(in, MAX_KIB, true, BasicArrayCache.getInstance());
            case ALONE -> alone(encoded, max);
            default -> raw(in, max);
        };
    }

    private static InputStream alone(byte[] encoded, int max) throws IOException {
        if (encoded.length < ALONE_HEADER) {
            throw new EOFException();
        }
        ByteBuffer header = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
        return new LZMAInputStream(
                new ByteArrayInputStream(encoded, ALONE_HEADER, encoded.length - ALONE_HEADER),
                header.getLong(5),
                header.get(0),
                (int) Math.min(Integer.toUnsignedLong(header.getInt(1)), dictionary(max)));
    }

    private InputStream raw(InputStream in, int max) throws IOException {
        InputStream decoding = in;
        for (int i = filters.size() - 1; i >= 0; i--) {
            decoding = filters.get(i).decoding(decoding, dictionary(max));
        }
        return decoding;
    }

    /** Nothing refers farther back than to the first byte. */
    private static int dictionary(int max) {
        return Math.min(Math.max(max, LZMA2InputStream.DICT_SIZE_MIN), LZMA2InputStream.DICT_SIZE_MAX);
    }

    @Override
    public long encodedBytes(long decoded) {
        return decoded + decoded / 4 + SLACK;
    }

    @Override
    public boolean isExact() {
        return false;
    }
}
