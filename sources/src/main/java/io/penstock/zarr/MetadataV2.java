package io.penstock.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.CodecChain;
import io.penstock.zarr.internal.codec.Codecs;
import io.penstock.zarr.internal.codec.PlainBytes;
import io.penstock.zarr.internal.codec.Transpose;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToArray;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.FillValue;
import io.penstock.zarr.internal.element.MetadataJson;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads {@code .zarray}.
 * @see <a href="https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html">Zarr storage specification version 2</a>
 */
final class MetadataV2 {

    private MetadataV2() {}

    static ArrayMetadata read(JsonNode document, JsonNode attributes) {
        if (MetadataJson.integer(document.path("zarr_format"), "zarr_format") != 2) {
            throw new FormatException("\"zarr_format\" must be 2, was " + document.path("zarr_format"));
        }
        Shape shape = MetadataJson.shape(document.path("shape"), "shape");
        Shape chunk = ArrayMetadata.chunks(document.path("chunks"), shape, "chunks");
        ElementType type = ElementType.v2(document.path("dtype"));
        return new ArrayMetadata(
                ZarrFormat.V2,
                shape,
                chunk,
                type,
                codecs(document, type, shape.rank()),
                FillValue.of(document.path("fill_value"), type, ZarrFormat.V2),
                new ChunkKeys(
                        false,
                        MetadataJson.oneOf(document, "dimension_separator", ".", ".", "/")
                                .charAt(0)),
                dimensionNames(attributes, shape.rank()),
                attributes.toString(),
                false,
                ArrayMetadata.state(document, "shape"));
    }

    /** As xarray writes them. */
    private static List<String> dimensionNames(JsonNode attributes, int rank) {
        JsonNode names = attributes.path("_ARRAY_DIMENSIONS");
        if (!names.isArray() || names.size() != rank) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        names.forEach(name -> texts.add(name.asText("")));
        return List.copyOf(texts);
    }

    private static CodecChain codecs(JsonNode document, ElementType type, int rank) {
        List<ArrayToArray> arrays = new ArrayList<>();
        if (MetadataJson.oneOf(document, "order", "C", "C", "F").equals("F") && rank > 1) {
            arrays.add(Transpose.reversed(rank));
        }
        List<JsonNode> filters = new ArrayList<>();
        JsonNode listed = document.path("filters");
        if (!listed.isMissingNode() && !listed.isNull()) {
            MetadataJson.array(listed, "filters").forEach(filters::add);
        }
        ArrayToBytes serial = new PlainBytes(type.bigEndian());
        if (type.isText()) {
            if (filters.isEmpty()) {
                throw new FormatException(
                        "data type is not supported: objects (\"|O\") without a filter that says how they are written");
            }
            serial = Codecs.texts(id(filters.remove(0)));
        }
        List<BytesToBytes> compressions = new ArrayList<>();
        for (JsonNode filter : filters) {
            compressions.add(Codecs.bytes(id(filter), filter));
        }
        JsonNode compressor = document.path("compressor");
        if (!compressor.isMissingNode() && !compressor.isNull()) {
            compressions.add(Codecs.bytes(id(compressor), compressor));
        }
        return new CodecChain(arrays, serial, compressions);
    }

    private static String id(JsonNode codec) {
        return MetadataJson.text(MetadataJson.object(codec, "codec").path("id"), "id of a codec");
    }
}
