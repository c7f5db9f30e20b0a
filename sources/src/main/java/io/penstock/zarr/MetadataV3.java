package io.penstock.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.CodecChain;
import io.penstock.zarr.internal.codec.Codecs;
import io.penstock.zarr.internal.codec.NumberFilter;
import io.penstock.zarr.internal.codec.PlainBytes;
import io.penstock.zarr.internal.codec.ShardingCodec;
import io.penstock.zarr.internal.codec.Transpose;
import io.penstock.zarr.internal.codec.ZarrCodec;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToArray;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.FillValue;
import io.penstock.zarr.internal.element.MetadataJson;
import io.penstock.zarr.internal.element.NumberType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads an array's {@code zarr.json}. What it does not know is refused, unless it says that it need not be understood.
 * @see <a href="https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html">Zarr core specification version 3</a>
 */
final class MetadataV3 {

    private static final Set<String> KNOWN = Set.of(
            "zarr_format",
            "node_type",
            "shape",
            "data_type",
            "chunk_grid",
            "chunk_key_encoding",
            "fill_value",
            "codecs",
            "attributes",
            "dimension_names",
            "storage_transformers",
            "consolidated_metadata");

    private MetadataV3() {}

    static ArrayMetadata read(JsonNode document) {
        if (MetadataJson.integer(document.path("zarr_format"), "zarr_format") != 3) {
            throw new FormatException("\"zarr_format\" must be 3, was " + document.path("zarr_format"));
        }
        if (!MetadataJson.text(document.path("node_type"), "node_type").equals("array")) {
            throw new FormatException("\"node_type\" must be \"array\", was " + document.path("node_type"));
        }
        document.properties().forEach(field -> {
            JsonNode value = field.getValue();
            boolean optional = value.isObject()
                    && value.path("must_understand").isBoolean()
                    && !value.path("must_understand").booleanValue();
            if (!KNOWN.contains(field.getKey()) && !optional) {
                throw new FormatException("extension is not supported: \"%s\"".formatted(field.getKey()));
            }
        });
        Shape shape = MetadataJson.shape(document.path("shape"), "shape");
        JsonNode grid = document.path("chunk_grid");
        if (!name(grid, "chunk_grid").equals("regular")) {
            throw new FormatException("chunk grid is not supported: \"%s\"".formatted(name(grid, "chunk_grid")));
        }
        Shape chunk = ArrayMetadata.chunks(grid.path("configuration").path("chunk_shape"), shape, "chunk_shape");
        ElementType type = ElementType.v3(document.path("data_type"));
        FillValue fill = FillValue.of(document.path("fill_value"), type, ZarrFormat.V3);
        return new ArrayMetadata(
                ZarrFormat.V3,
                shape,
                chunk,
                type,
                chain(document.path("codecs"), chunk, type, fill),
                fill,
                keys(document.path("chunk_key_encoding")),
                dimensionNames(document.path("dimension_names"), shape.rank()),
                document.path("attributes").isObject()
                        ? document.path("attributes").toString()
                        : "{}",
                manifest(document.path("storage_transformers")),
                ArrayMetadata.state(document, "shape", "attributes", "dimension_names", "consolidated_metadata"));
    }

    /** The one transformer there is in the wild says that chunks lie elsewhere if there is a file that says so. */
    private static boolean manifest(JsonNode transformers) {
        boolean manifest = false;
        for (JsonNode transformer : transformers) {
            String name = name(transformer, "storage_transformers");
            if (!name.equals("chunk-manifest-json")) {
                throw new FormatException("storage transformer is not supported: \"%s\"".formatted(name));
            }
            manifest = true;
        }
        return manifest;
    }

    private static List<String> dimensionNames(JsonNode names, int rank) {
        if (names.isMissingNode() || names.isNull()) {
            return List.of();
        }
        if (MetadataJson.array(names, "dimension_names").size() != rank) {
            throw new FormatException(
                    "\"dimension_names\" must name the shape's %d axes, names %d".formatted(rank, names.size()));
        }
        List<String> texts = new ArrayList<>();
        names.forEach(name -> texts.add(name.isNull() ? "" : MetadataJson.text(name, "dimension_names")));
        return List.copyOf(texts);
    }

    private static ChunkKeys keys(JsonNode encoding) {
        String name = name(encoding, "chunk_key_encoding");
        boolean plain = name.equals("v2");
        if (!plain && !name.equals("default")) {
            throw new FormatException("chunk key encoding is not supported: \"%s\"".formatted(name));
        }
        String separator = MetadataJson.oneOf(encoding.path("configuration"), "separator", plain ? "." : "/", ".", "/");
        return new ChunkKeys(!plain, separator.charAt(0));
    }

    /** Extension points are {@code {"name": …, "configuration": …}}, or just the name. */
    private static String name(JsonNode node, String what) {
        return MetadataJson.text(node.isObject() ? node.path("name") : node, "name of " + what);
    }

    private static CodecChain chain(JsonNode codecs, Shape chunk, ElementType type, FillValue fill) {
        List<ArrayToArray> arrays = new ArrayList<>();
        List<BytesToBytes> compressions = new ArrayList<>();
        ArrayToBytes serial = null;
        Shape shape = chunk;
        ElementType stored = type;
        for (JsonNode codec : MetadataJson.array(codecs, "codecs")) {
            ZarrCodec next = codec(codec, shape, stored, fill);
            if (next instanceof ArrayToArray array && serial == null) {
                shape = array.encodedShape(shape);
                stored = array.encodedType(stored);
                arrays.add(array);
            } else if (next instanceof ArrayToBytes bytes && serial == null) {
                if (bytes instanceof ShardingCodec && stored.dtype() != type.dtype()) {
                    throw new FormatException(
                            "codec \"sharding_indexed\" must have elements of type %s, which the fill value is of, has %s"
                                    .formatted(type.name(), stored.name()));
                }
                serial = bytes;
            } else if (next instanceof BytesToBytes compression && serial != null) {
                compressions.add(compression);
            } else {
                throw new FormatException(
                        "codec \"%s\" is out of order: first those of arrays, then one that gives bytes, then those of bytes: %s"
                                .formatted(name(codec, "codecs"), MetadataJson.brief(codecs)));
            }
        }
        if (serial == null) {
            throw new FormatException("codecs must have one that makes bytes of arrays: " + MetadataJson.brief(codecs));
        }
        if (type.isText() && serial instanceof PlainBytes) {
            throw new FormatException("codec \"bytes\" cannot hold elements of type %s".formatted(type.name()));
        }
        return new CodecChain(arrays, serial, compressions);
    }

    private static ZarrCodec codec(JsonNode codec, Shape shape, ElementType type, FillValue fill) {
        String name = name(codec, "codecs");
        JsonNode config = codec.path("configuration");
        return switch (name) {
            case "bytes" -> plain(config, type);
            case "transpose" -> transpose(config.path("order"), shape.rank());
            case "sharding_indexed" -> sharding(config, shape, type, fill);
            case "numcodecs.packbits", "packbits" -> throw Codecs.unsupported(name);
            default -> numcodec(name, config, type);
        };
    }

    private static ZarrCodec numcodec(String name, JsonNode config, ElementType type) {
        String id = name.startsWith("numcodecs.") ? name.substring("numcodecs.".length()) : name;
        if (Codecs.isTexts(id)) {
            if (!type.isText()) {
                throw new FormatException("codec \"%s\" cannot hold elements of type %s".formatted(name, type.name()));
            }
            return Codecs.texts(id);
        }
        if (Codecs.isNumbers(id)) {
            return elementwise(name, Codecs.numbers(id, config), type);
        }
        if (id.equals("bitround")) {
            NumberType number = new NumberType(type.dtype(), false);
            return elementwise(name, NumberFilter.cast(id, number, number), type);
        }
        return Codecs.bytes(id, config);
    }

    private static NumberFilter elementwise(String name, NumberFilter filter, ElementType type) {
        if (type.kind() != ElementType.Kind.NUMBER
                || type.lanes() != 1
                || filter.decoded().dtype() != type.dtype()) {
            throw new FormatException("codec \"%s\" of %s cannot hold elements of type %s"
                    .formatted(name, filter.decoded().dtype(), type.name()));
        }
        return filter;
    }

    private static PlainBytes plain(JsonNode config, ElementType type) {
        String endian = config.path("endian").asText("");
        if (endian.isEmpty() && type.dtype().bytes() > 1) {
            throw new FormatException("codec \"bytes\" must say \"endian\" for elements of type " + type.name());
        }
        if (!endian.isEmpty() && !endian.equals("little") && !endian.equals("big")) {
            throw new FormatException("\"endian\" must be \"little\" or \"big\", was \"%s\"".formatted(endian));
        }
        return new PlainBytes(endian.equals("big"));
    }

    private static Transpose transpose(JsonNode order, int rank) {
        if (order.isTextual()
                && (order.textValue().equals("C") || order.textValue().equals("F"))) {
            // an early draft's, still found
            return order.textValue().equals("F") ? Transpose.reversed(rank) : Transpose.none(rank);
        }
        long[] axes = MetadataJson.shape(order, "order").toArray();
        if (axes.length != rank) {
            throw new FormatException("\"order\" must name the shape's %d axes, names %d".formatted(rank, axes.length));
        }
        int[] places = new int[rank];
        for (int i = 0; i < rank; i++) {
            places[i] = (int) Math.min(axes[i], Integer.MAX_VALUE);
        }
        return new Transpose(places);
    }

    private static ShardingCodec sharding(JsonNode config, Shape shape, ElementType type, FillValue fill) {
        Shape inner = ArrayMetadata.chunks(config.path("chunk_shape"), shape, "chunk_shape");
        String location = MetadataJson.oneOf(config, "index_location", "end", "start", "end");
        ShardingCodec sharding = new ShardingCodec(
                inner,
                chain(config.path("codecs"), inner, type, fill),
                chain(config.path("index_codecs"), shape, ShardingCodec.NUMBERS, new FillValue(new byte[Long.BYTES])),
                location.equals("start"),
                fill);
        if (!(sharding.index().serial() instanceof PlainBytes)
                || !sharding.index().arrays().isEmpty()) {
            throw new FormatException(
                    "a shard index must be plain numbers: " + MetadataJson.brief(config.path("index_codecs")));
        }
        sharding.indexBytes(sharding.perShard(shape));
        return sharding;
    }
}
