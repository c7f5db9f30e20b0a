package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToArray;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.Cells;
import io.penstock.zarr.internal.element.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The codecs of a chunk: elements are rearranged, then serialised, then compressed. Decoding starts at the end. */
public record CodecChain(List<ArrayToArray> arrays, ArrayToBytes serial, List<BytesToBytes> compressions) {

    private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;

    public CodecChain {
        arrays = List.copyOf(arrays);
        compressions = List.copyOf(compressions);
    }

    /** Whether a chunk is nothing but inner chunks, of which each can be read alone. */
    public boolean isOnlySharding() {
        return serial instanceof ShardingCodec && arrays.isEmpty() && compressions.isEmpty();
    }

    /**
     * The elements of one chunk.
     * @param max bytes a chunk may have decoded, in all stages
     */
    public Cells decode(byte[] encoded, Shape shape, ElementType type, long max) {
        List<Shape> shapes = new ArrayList<>(List.of(shape));
        List<ElementType> types = new ArrayList<>(List.of(type));
        for (ArrayToArray codec : arrays) {
            shapes.add(codec.encodedShape(last(shapes)));
            types.add(codec.encodedType(last(types)));
        }
        long[] limits = limits(last(shapes), last(types), max);
        byte[] bytes = encoded;
        for (int i = compressions.size() - 1; i >= 0; i--) {
            bytes = compressions.get(i).decode(bytes, (int) limits[i]);
        }
        Cells cells = serial.decode(bytes, last(shapes), last(types), max);
        for (int i = arrays.size() - 1; i >= 0; i--) {
            cells = arrays.get(i).decode(cells, shapes.get(i));
        }
        return cells;
    }

    private static <T> T last(List<T> all) {
        return all.get(all.size() - 1);
    }

    /** The max decoded size of each compression, then the max encoded size of the chain. */
    private long[] limits(Shape shape, ElementType type, long max) {
        long[] limits = new long[compressions.size() + 1];
        limits[0] = Math.min(LARGEST_ARRAY, serial.encodedBytes(shape, type, max));
        for (int i = 0; i < compressions.size(); i++) {
            limits[i + 1] = Math.min(LARGEST_ARRAY, compressions.get(i).encodedBytes(limits[i]));
        }
        return limits;
    }

    /** The max encoded size of a chunk. */
    public int encodedBytes(Shape shape, ElementType type, long max) {
        Shape stored = shape;
        ElementType storedType = type;
        for (ArrayToArray codec : arrays) {
            stored = codec.encodedShape(stored);
            storedType = codec.encodedType(storedType);
        }
        long[] limits = limits(stored, storedType, max);
        return (int) limits[compressions.size()];
    }

    void requireExact(String what) {
        if (!(serial instanceof PlainBytes) || compressions.stream().anyMatch(Compressor.class::isInstance)) {
            throw new FormatException(
                    "%s must have codecs whose result has a known length, has %s".formatted(what, this));
        }
    }

    public List<String> names() {
        return Stream.of(arrays.stream(), Stream.of(serial), compressions.stream())
                .flatMap(codecs -> codecs.map(codec -> codec.name().toLowerCase(java.util.Locale.ROOT)))
                .toList();
    }

    @Override
    public String toString() {
        return names().stream().collect(Collectors.joining(" → "));
    }
}
