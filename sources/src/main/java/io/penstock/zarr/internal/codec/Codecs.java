package io.penstock.zarr.internal.codec;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.element.MetadataJson;
import io.penstock.zarr.internal.element.NumberType;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;

/** numcodecs' codecs by their names, which v2 has plain and v3 behind {@code numcodecs.}. */
public final class Codecs {

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
            case "zstd" -> Compression.ZSTD;
            case "lz4" -> Compression.LZ4;
            case "zlib" -> Compression.ZLIB;
            case "gzip" -> Compression.GZIP;
            case "bz2" -> bzip2();
            case "blosc" -> Compression.BLOSC;
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

    private static BytesToBytes lzma(JsonNode config) {
        try {
            return Lzma.of(config);
        } catch (NoClassDefFoundError e) {
            throw needs("lzma", "XZ for Java", "org.tukaani:xz", e);
        }
    }

    private static BytesToBytes bzip2() {
        try {
            BZip2CompressorInputStream.matches(new byte[0], 0); // a missing library shows when the array is opened
            return Compression.BZ2;
        } catch (NoClassDefFoundError e) {
            throw needs("bz2", "Commons Compress", "org.apache.commons:commons-compress", e);
        }
    }

    static FormatException needs(String codec, String library, String artifact, NoClassDefFoundError missing) {
        return new FormatException(
                "codec \"%s\" needs %s on the class path; add %s".formatted(codec, library, artifact), missing);
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
