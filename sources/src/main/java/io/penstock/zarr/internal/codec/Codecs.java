package io.penstock.zarr.internal.codec;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.internal.OptionalLibrary;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.MetadataJson;
import io.penstock.zarr.internal.element.NumberType;

/** numcodecs' codecs by their names; v3 may put {@code numcodecs.} before a name. */
public final class Codecs {

    private static final int XZ = 1;

    private Codecs() {}

    public static ArrayToBytes texts(String id) {
        return switch (id) {
            case "vlen-utf8", "vlen-bytes" -> new VariableTexts(id);
            case "json2" -> new JsonTexts();
            default -> throw unsupported(id);
        };
    }

    public static BytesToBytes bytes(String id, JsonNode config) {
        return switch (id) {
            case "zstd" -> {
                require(id, OptionalLibrary.ZSTD);
                yield new Zstandard();
            }
            case "lz4" -> {
                require(id, OptionalLibrary.LZ4);
                yield new Lz4();
            }
            case "zlib" -> Compression.ZLIB;
            case "gzip" -> Compression.GZIP;
            case "bz2" -> {
                require(id, OptionalLibrary.COMPRESS);
                yield new Bzip2();
            }
            case "blosc" -> blosc(config);
            case "lzma" -> lzma(config);
            case "shuffle" -> new Shuffle(MetadataJson.integer(config, "elementsize", 4, 0, 255));
            case "packbits" -> new PackBits();
            case "bitround" -> new Unchanged(id);
            case "crc32" -> new ChecksumCodec(ChecksumCodec.Sum.CRC32, atStart(config, "start"));
            case "crc32c" -> new ChecksumCodec(ChecksumCodec.Sum.CRC32C, atStart(config, "end"));
            case "adler32" -> new ChecksumCodec(ChecksumCodec.Sum.ADLER32, atStart(config, "start"));
            case "fletcher32" -> new ChecksumCodec(ChecksumCodec.Sum.FLETCHER32, false);
            default -> numbers(id, config);
        };
    }

    /** xz: numcodecs' other formats, {@code .lzma} files and raw streams, are in no data set that we know. */
    private static BytesToBytes lzma(JsonNode config) {
        int format = MetadataJson.integer(config, "format", XZ, 1, 3);
        if (format != XZ) {
            throw new FormatException("codec \"lzma\" is supported in format 1 (xz), was %d".formatted(format));
        }
        require("lzma", OptionalLibrary.XZ);
        return new Lzma();
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
        return Compression.BLOSC;
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

    /** A filter that is lossy when writing and does nothing when reading: {@code bitround}. */
    record Unchanged(String name) implements BytesToBytes {

        @Override
        public byte[] decode(byte[] encoded, int max) {
            if (encoded.length > max) {
                throw new FormatException(
                        "%s: at most %d bytes are expected, came %d".formatted(name, max, encoded.length));
            }
            return encoded;
        }

        @Override
        public long encodedBytes(long decoded) {
            return decoded;
        }
    }
}
