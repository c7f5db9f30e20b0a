package io.penstock.zarr.internal.codec;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.store.internal.Utf8;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.element.Cells;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.MetadataJson;
import java.nio.charset.StandardCharsets;

/**
 * numcodecs' {@code json2}: a list of the elements, then their dtype and shape. What is no text is given as JSON, in
 * one line with the keys in order.
 */
record JsonTexts() implements ArrayToBytes {

    private static final int TRAILERS = 2;

    @Override
    public String name() {
        return "json2";
    }

    @Override
    public Cells decode(byte[] encoded, Shape shape, ElementType type, long max) {
        JsonNode items = MetadataJson.parse(encoded);
        if (!items.isArray() || items.size() != shape.elements() + TRAILERS) {
            throw new FormatException("json2: chunk must be a list of %d elements, type and shape, is %s"
                    .formatted(shape.elements(), MetadataJson.brief(items)));
        }
        byte[][] texts = new byte[(int) shape.elements()][];
        for (int i = 0; i < texts.length; i++) {
            JsonNode item = items.get(i);
            String text = item.isTextual() ? item.textValue() : MetadataJson.sorted(item);
            if (Utf8.hasHalfPair(text)) {
                throw new FormatException("json2: element %d has half of a surrogate pair".formatted(i));
            }
            texts[i] = text.getBytes(StandardCharsets.UTF_8);
        }
        return new Cells.Texts(texts);
    }

    @Override
    public long encodedBytes(Shape shape, ElementType type, long max) {
        return Math.min(max, MetadataJson.MAX_BYTES);
    }
}
