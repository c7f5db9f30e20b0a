package io.penstock.zarr.internal.codec;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.store.internal.Utf8;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.element.ChunkTensor;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.MetadataJson;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Texts of any length by numcodecs. {@code vlen-utf8} and {@code vlen-bytes} have the count, then each length and its
 * bytes. {@code json2} is a list of the elements, then their dtype and shape; what is no text is given as JSON, in one
 * line with the keys in order.
 */
record Texts(String name) implements ArrayToBytes {

    private static final int JSON_TRAILERS = 2;

    @Override
    public byte[] decode(byte[] encoded, Shape shape, ElementType type, long max) {
        return name.equals("json2") ? json(encoded, shape) : variable(encoded, shape);
    }

    /** Nothing is taken for a text but the bytes that it has: a chunk may have millions without one. */
    private byte[] variable(byte[] encoded, Shape shape) {
        ByteBuffer from = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
        if (encoded.length < Integer.BYTES || from.getInt() != shape.elements()) {
            throw new FormatException("%s: chunk must hold %d elements, says %s"
                    .formatted(
                            name, shape.elements(), encoded.length < Integer.BYTES ? "nothing" : from.getInt(0) + ""));
        }
        int count = (int) shape.elements();
        if ((long) count * Integer.BYTES > from.remaining()) {
            throw ends(encoded); // before room for them is taken
        }
        byte[] chunk = new byte[encoded.length]; // an offset each and one more, where there are lengths and the count
        ByteBuffer offsets = ByteBuffer.wrap(chunk).order(ByteOrder.LITTLE_ENDIAN);
        int first = Integer.BYTES * (count + 1);
        int at = first;
        for (int i = 0; i < count; i++) {
            offsets.putInt(at - first);
            int length = from.remaining() < Integer.BYTES ? -1 : from.getInt();
            if (length < 0 || length > from.remaining() || length > chunk.length - at) {
                throw ends(encoded);
            }
            from.get(chunk, at, length);
            at += length;
        }
        if (from.hasRemaining()) {
            throw new FormatException("%s: %d bytes follow its %d elements".formatted(name, from.remaining(), count));
        }
        offsets.putInt(at - first);
        return chunk;
    }

    private FormatException ends(byte[] encoded) {
        return new FormatException("%s: an element leads out of the %d bytes".formatted(name, encoded.length));
    }

    private static byte[] json(byte[] encoded, Shape shape) {
        JsonNode items = MetadataJson.parse(encoded);
        if (!items.isArray() || items.size() != shape.elements() + JSON_TRAILERS) {
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
        return ChunkTensor.ofTexts(texts);
    }

    @Override
    public long encodedBytes(Shape shape, ElementType type, long max) {
        return name.equals("json2") ? Math.min(max, MetadataJson.MAX_BYTES) : max;
    }
}
