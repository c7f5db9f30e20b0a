package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.element.Cells;
import io.penstock.zarr.internal.element.ElementType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** numcodecs' {@code vlen-utf8} and {@code vlen-bytes}: the count, then each length and its bytes. */
record VariableTexts(String name) implements ArrayToBytes {

    @Override
    public Cells decode(byte[] encoded, Shape shape, ElementType type, long max) {
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
        byte[][] texts = new byte[count][];
        for (int i = 0; i < count; i++) {
            int length = from.remaining() < Integer.BYTES ? -1 : from.getInt();
            if (length < 0 || length > from.remaining()) {
                throw ends(encoded);
            }
            texts[i] = new byte[length];
            from.get(texts[i]);
        }
        return new Cells.Texts(texts);
    }

    private FormatException ends(byte[] encoded) {
        return new FormatException("%s: an element leads out of the %d bytes".formatted(name, encoded.length));
    }

    @Override
    public long encodedBytes(Shape shape, ElementType type, long max) {
        return max;
    }
}
