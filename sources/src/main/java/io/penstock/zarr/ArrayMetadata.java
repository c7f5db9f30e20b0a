package io.penstock.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cache.Fingerprint;
import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.CodecChain;
import io.penstock.zarr.internal.codec.ShardingCodec;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.FillValue;
import io.penstock.zarr.internal.element.MetadataJson;
import java.util.ArrayList;
import java.util.List;

/**
 * The metadata document of an array, checked.
 *
 * @param chunk      the shape of what lies under one key
 * @param attributes as JSON text
 * @param manifest   whether a manifest, if there is one, would say where chunks lie
 * @param state      of all that decides the values but the shape: an array that grows keeps the keys of its rows
 */
record ArrayMetadata(
        ZarrFormat format,
        Shape shape,
        Shape chunk,
        ElementType type,
        CodecChain codecs,
        FillValue fill,
        ChunkKeys keys,
        List<String> dimensionNames,
        String attributes,
        boolean manifest,
        String state) {

    static ArrayMetadata of(ZarrFormat format, JsonNode document, JsonNode attributes) {
        MetadataJson.object(document, format == ZarrFormat.V2 ? ".zarray" : "zarr.json");
        return format == ZarrFormat.V2 ? MetadataV2.read(document, attributes) : MetadataV3.read(document);
    }

    static Shape chunks(JsonNode node, Shape shape, String what) {
        Shape chunk = MetadataJson.shape(node, what);
        if (chunk.rank() != shape.rank()) {
            throw new FormatException(
                    "\"%s\" must have the shape's %d axes, is %s".formatted(what, shape.rank(), chunk));
        }
        for (int i = 0; i < chunk.rank(); i++) {
            if (chunk.dim(i) < 1) {
                throw new FormatException("\"%s\" must be at least 1 along each axis, is %s".formatted(what, chunk));
            }
        }
        return chunk;
    }

    static String state(JsonNode document, String... leftOut) {
        ObjectNode copy = document.deepCopy();
        copy.remove(List.of(leftOut));
        return Fingerprint.of(MetadataJson.sorted(copy)).hex();
    }

    /** The codecs of shards within shards, outermost first; none where a chunk has a key of its own. */
    List<ShardingCodec> shardings() {
        List<ShardingCodec> shardings = new ArrayList<>();
        for (CodecChain chain = codecs; chain.isOnlySharding(); ) {
            ShardingCodec sharding = (ShardingCodec) chain.serial();
            shardings.add(sharding);
            chain = sharding.codecs();
        }
        return shardings;
    }

    /** The shapes of shards, outermost first, then of the chunks that are read one at a time. */
    List<Shape> levels() {
        List<Shape> levels = new ArrayList<>(List.of(chunk));
        shardings().forEach(sharding -> levels.add(sharding.inner()));
        return levels;
    }

    /** The codecs of the chunks that are read one at a time. */
    CodecChain innermost() {
        List<ShardingCodec> shardings = shardings();
        return shardings.isEmpty()
                ? codecs
                : shardings.get(shardings.size() - 1).codecs();
    }
}
