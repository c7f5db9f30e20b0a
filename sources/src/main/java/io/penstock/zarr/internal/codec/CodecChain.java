package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.internal.HeapLimit;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToArray;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.ElementType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The codecs of a chunk: elements are rearranged, then serialised, then compressed. Decoding starts at the end. */
public record CodecChain(List<ArrayToArray> arrays, ArrayToBytes serial, List<BytesToBytes> compressions) {

    public CodecChain {
        arrays = List.copyOf(arrays);
        compressions = List.copyOf(compressions);
    }

    /** Whether a chunk is nothing but inner chunks, of which each can be read alone. */
    public boolean isOnlySharding() {
        return serial instanceof ShardingCodec && arrays.isEmpty() && compressions.isEmpty();
    }

    /** The stages of elements: before the first codec of arrays, behind each, and so before they are serialised. */
    private record Stages(List<Shape> shapes, List<ElementType> types) {

        Shape shape() {
            return shapes.get(shapes.size() - 1);
        }

        ElementType type() {
            return types.get(types.size() - 1);
        }
    }

    private Stages stages(Shape shape, ElementType type) {
        Stages stages = new Stages(new ArrayList<>(List.of(shape)), new ArrayList<>(List.of(type)));
        for (ArrayToArray codec : arrays) {
            stages.shapes.add(codec.encodedShape(stages.shape()));
            stages.types.add(codec.encodedType(stages.type()));
        }
        return stages;
    }

    /** Bytes that were read, without a copy where they are all of an array. */
    public static byte[] array(ByteBuffer bytes) {
        if (bytes.hasArray() && bytes.arrayOffset() == 0 && bytes.array().length == bytes.remaining()) {
            return bytes.array();
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        return copy;
    }

    /**
     * The elements of one chunk, as {@link io.penstock.zarr.internal.element.ChunkTensor} lays them out.
     * @param max bytes a chunk may have decoded, in all stages
     */
    public byte[] decode(byte[] encoded, Shape shape, ElementType type, long max) {
        Stages stages = stages(shape, type);
        long[] limits = limits(stages, max);
        byte[] bytes = encoded;
        for (int i = compressions.size() - 1; i >= 0; i--) {
            bytes = compressions.get(i).decode(bytes, (int) limits[i]);
        }
        bytes = serial.decode(bytes, stages.shape(), stages.type(), max);
        for (int i = arrays.size() - 1; i >= 0; i--) {
            bytes = arrays.get(i).decode(bytes, stages.shapes.get(i), stages.types.get(i));
        }
        return bytes;
    }

    /** The max decoded size of each compression, then the max encoded size of the chain. */
    private long[] limits(Stages stages, long max) {
        long[] limits = new long[compressions.size() + 1];
        limits[0] = Math.min(HeapLimit.MAX_ARRAY, serial.encodedBytes(stages.shape(), stages.type(), max));
        for (int i = 0; i < compressions.size(); i++) {
            limits[i + 1] =
                    Math.min(HeapLimit.MAX_ARRAY, compressions.get(i).sizes().applyAsLong(limits[i]));
        }
        return limits;
    }

    /** The max encoded size of a chunk. */
    public int encodedBytes(Shape shape, ElementType type, long max) {
        return (int) limits(stages(shape, type), max)[compressions.size()];
    }

    void requireExact(String what) {
        if (!(serial instanceof PlainBytes) || !compressions.stream().allMatch(BytesToBytes::isExact)) {
            throw new FormatException(
                    "%s must have codecs whose result has a known length, has %s".formatted(what, this));
        }
    }

    public List<String> names() {
        return Stream.of(arrays.stream(), Stream.of(serial), compressions.stream())
                .flatMap(codecs -> codecs.map(ZarrCodec::name))
                .toList();
    }

    @Override
    public String toString() {
        return names().stream().collect(Collectors.joining(" → "));
    }
}
