package io.penstock.zarr.internal.codec;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.internal.OptionalLibrary;
import io.penstock.store.internal.InflatedStream;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.MetadataJson;
import io.penstock.zarr.internal.element.NumberType;
import java.io.ByteArrayInputStream;

/** numcodecs' codecs by their names; v3 may put {@code numcodecs.} before a name. */
public final class Codecs {

    private static final int XZ = 1;

    private Codecs() {}

    public static ArrayToBytes texts(String id) {
        if (!isTexts(id)) {
            throw unsupported(id);
        }
        return new Texts(id);
    }

    public static boolean isTexts(String id) {
        return id.equals("vlen-utf8") || id.equals("vlen-bytes") || id.equals("json2");
    }

    public static BytesToBytes bytes(String id, JsonNode config) {
        return switch (id) {
            case "zstd" -> {
                require(id, OptionalLibrary.ZSTD);
                yield BytesToBytes.compressor(id, (encoded, max) -> Compressors.Zstandard.decode(encoded, max));
            }
            case "lz4" -> {
                require(id, OptionalLibrary.LZ4);
                yield BytesToBytes.compressor(id, (encoded, max) -> Compressors.Lz4.decode(encoded, max));
            }
            case "zlib" -> inflated(id, InflatedStream.Form.ZLIB);
            case "gzip" -> inflated(id, InflatedStream.Form.GZIP);
            case "bz2" -> {
                require(id, OptionalLibrary.COMPRESS);
                yield BytesToBytes.compressor(id, (encoded, max) -> Compressors.Bzip2.decode(encoded, max));
            }
            case "blosc" -> blosc(config);
            case "lzma" -> lzma(config);
            case "shuffle" -> Shuffle.of(MetadataJson.integer(config, "elementsize", 4, 0, 255));
            case "packbits" -> BytesToBytes.exact(id, decoded -> 1 + (decoded + 7) / 8, Codecs::unpacked);
            // lossy when writing, nothing when reading
            case "bitround" -> BytesToBytes.exact(id, decoded -> decoded, (encoded, max) -> encoded);
            case "crc32", "adler32" -> Checksums.of(id, atStart(config, "start"));
            case "crc32c" -> Checksums.of(id, atStart(config, "end"));
            case "fletcher32" -> Checksums.of(id, false);
            default -> numbers(id, config).ofBytes();
        };
    }

    private static BytesToBytes inflated(String id, InflatedStream.Form form) {
        return BytesToBytes.compressor(
                id,
                (encoded, max) -> Compressors.all(new InflatedStream(new ByteArrayInputStream(encoded), form), max));
    }

    /** Eight truth values a byte, the first in the highest bit, after a byte that says how many bits are left over. */
    private static byte[] unpacked(byte[] encoded, int max) {
        int spare = encoded.length == 0 ? -1 : encoded[0];
        long count = (encoded.length - 1L) * 8 - spare;
        if (spare < 0 || spare > 7 || count < 0 || count > max) {
            throw new FormatException("at most %d values are expected, came %d bytes, with %d bits left over"
                    .formatted(max, encoded.length, spare));
        }
        byte[] result = new byte[(int) count];
        for (int i = 0; i < result.length; i++) {
            result[i] = (byte) (encoded[1 + i / 8] >> (7 - i % 8) & 1);
        }
        return result;
    }

    /** xz: numcodecs' other formats, {@code .lzma} files and raw streams, are in no data set that we know. */
    private static BytesToBytes lzma(JsonNode config) {
        int format = MetadataJson.integer(config, "format", XZ, 1, 3);
        if (format != XZ) {
            throw new FormatException("codec \"lzma\" is supported in format 1 (xz), was %d".formatted(format));
        }
        require("lzma", OptionalLibrary.XZ);
        return BytesToBytes.compressor("lzma", (encoded, max) -> Compressors.Xz.decode(encoded, max));
    }

    /** Its frames say again which compressor they have; libraries are asked for when the array is opened. */
    private static BytesToBytes blosc(JsonNode config) {
        String inside = config.path("cname").asText("");
        switch (inside) {
            case "lz4", "lz4hc" -> require("blosc with " + inside, OptionalLibrary.LZ4);
            case "zstd" -> require("blosc with zstd", OptionalLibrary.ZSTD);
            case "snappy" -> require("blosc with snappy", OptionalLibrary.COMPRESS);
            default -> {} // ours, or the JDK's
        }
        return BytesToBytes.compressor("blosc", BloscFrame::decode);
    }

    private static void require(String codec, OptionalLibrary library) {
        library.require("codec \"%s\"".formatted(codec), Codecs.class);
    }

    private static boolean atStart(JsonNode config, String otherwise) {
        String location = config.path("location").asText(otherwise);
        if (!location.equals("start") && !location.equals("end")) {
            throw new FormatException(
                    "location of a checksum must be \"start\" or \"end\", was \"%s\"".formatted(location));
        }
        return location.equals("start");
    }

    public static boolean isNumbers(String id) {
        return switch (id) {
            case "delta", "fixedscaleoffset", "quantize", "astype" -> true;
            default -> false;
        };
    }

    public static NumberFilter numbers(String id, JsonNode config) {
        return switch (id) {
            case "delta" -> NumberFilter.delta(type(config, "dtype"), type(config, "astype", "dtype"));
            case "fixedscaleoffset" ->
                NumberFilter.scaled(
                        type(config, "dtype"),
                        type(config, "astype", "dtype"),
                        MetadataJson.number(config, "offset"),
                        MetadataJson.number(config, "scale"));
            case "quantize" -> NumberFilter.cast(id, type(config, "dtype"), type(config, "astype", "dtype"));
            case "astype" -> NumberFilter.cast(id, type(config, "decode_dtype"), type(config, "encode_dtype"));
            default -> throw unsupported(id);
        };
    }

    private static NumberType type(JsonNode config, String field) {
        return NumberType.of(MetadataJson.text(config.path(field), field));
    }

    private static NumberType type(JsonNode config, String field, String otherwise) {
        return type(config, config.path(field).isTextual() ? field : otherwise);
    }

    public static FormatException unsupported(String id) {
        return new FormatException("codec is not supported: \"%s\"".formatted(id));
    }
}
