package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToArray;
import io.penstock.zarr.internal.element.ChunkTensor;
import io.penstock.zarr.internal.element.ElementType;
import java.util.Arrays;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/** Stores the axes in another order: axis i of what is stored is axis {@code order[i]} of the array. */
public final class Transpose implements ArrayToArray {

    private final int[] order;

    public Transpose(int[] order) {
        boolean[] seen = new boolean[order.length];
        for (int axis : order) {
            if (axis < 0 || axis >= order.length || seen[axis]) {
                throw new FormatException(
                        "transpose must name every axis once, was %s".formatted(Arrays.toString(order)));
            }
            seen[axis] = true;
        }
        this.order = order;
    }

    /** Fortran's: the first axis varies fastest. */
    public static Transpose reversed(int rank) {
        return new Transpose(IntStream.range(0, rank).map(i -> rank - 1 - i).toArray());
    }

    public static Transpose none(int rank) {
        return new Transpose(IntStream.range(0, rank).toArray());
    }

    @Override
    public String name() {
        return "transpose";
    }

    @Override
    public Shape encodedShape(Shape decoded) {
        long[] dims = new long[order.length];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = decoded.dim(order[i]);
        }
        return Shape.of(dims);
    }

    @Override
    public ElementType encodedType(ElementType decoded) {
        return decoded;
    }

    @Override
    public byte[] decode(byte[] encoded, Shape decodedShape, ElementType type) {
        int rank = order.length;
        int[] strides = new int[rank]; // of each decoded axis, in encoded elements
        int stride = 1;
        for (int i = rank - 1; i >= 0; i--) {
            strides[order[i]] = stride;
            stride *= (int) decodedShape.dim(order[i]);
        }
        int[] at = new int[rank];
        IntSupplier sources = new IntSupplier() {
            private int next;

            @Override
            public int getAsInt() {
                int source = next;
                for (int axis = rank - 1; axis >= 0; axis--) {
                    next += strides[axis];
                    if (++at[axis] < decodedShape.dim(axis)) {
                        break;
                    }
                    next -= strides[axis] * at[axis];
                    at[axis] = 0;
                }
                return source;
            }
        };
        return ChunkTensor.permuted(encoded, (int) decodedShape.elements(), sources, type);
    }
}
