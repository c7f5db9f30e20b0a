package io.penstock.tensor;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A type that a component of a class may have, and how its values become tensors. The names are in cache keys. */
enum ComponentType {
    TENSOR(Tensor.class),
    INT(int.class),
    LONG(long.class),
    FLOAT(float.class),
    DOUBLE(double.class),
    BOOLEAN(boolean.class),
    STRING(String.class),
    BYTES(byte[].class),
    SHORTS(short[].class),
    INTS(int[].class),
    LONGS(long[].class),
    FLOATS(float[].class),
    DOUBLES(double[].class);

    private final Class<?> type;

    ComponentType(Class<?> type) {
        this.type = type;
    }

    /** @throws IllegalArgumentException if no tensor stands for values of this type */
    static ComponentType of(Class<?> owner, String component, Class<?> type) {
        for (ComponentType candidate : values()) {
            if (candidate.type == type) {
                return candidate;
            }
        }
        throw new IllegalArgumentException("Schema cannot lay out %s.%s of type %s; use Tensor, int, long, float, "
                        .formatted(owner.getSimpleName(), component, type.getTypeName())
                + "double, boolean, String or an array of byte, short, int, long, float or double");
    }

    /** A byte array is not copied. */
    Tensor toTensor(Object value) {
        return switch (this) {
            case TENSOR -> (Tensor) value;
            case INT -> Tensor.scalar((int) value);
            case LONG -> Tensor.scalar((long) value);
            case FLOAT -> Tensor.scalar((float) value);
            case DOUBLE -> Tensor.scalar((double) value);
            case BOOLEAN -> Tensor.scalar((boolean) value);
            case STRING -> Tensor.utf8((String) value);
            case BYTES -> Tensor.ofBytes((byte[]) value);
            case SHORTS -> ofShorts((short[]) value);
            case INTS -> Tensor.ofInts((int[]) value);
            case LONGS -> Tensor.ofLongs((long[]) value);
            case FLOATS -> Tensor.ofFloats((float[]) value);
            case DOUBLES -> Tensor.ofDoubles((double[]) value);
        };
    }

    private static Tensor ofShorts(short[] values) {
        ByteBuffer data = ByteBuffer.allocate(Math.multiplyExact(values.length, Short.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        data.asShortBuffer().put(values);
        return Tensor.of(DType.I16, Shape.of(values.length), data);
    }

    /** @throws IllegalArgumentException if the tensor has another form than {@link #toTensor} gives, or another number */
    Object toValue(Tensor tensor) {
        return switch (this) {
            case TENSOR -> tensor;
            case INT -> (int) whole(tensor, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case LONG -> whole(tensor, Long.MIN_VALUE, Long.MAX_VALUE);
            case FLOAT -> (float) number(tensor).doubleAt(0);
            case DOUBLE -> number(tensor).doubleAt(0);
            case BOOLEAN -> number(tensor).longAt(0) != 0;
            case STRING -> array(tensor, DType.U8).toText();
            case BYTES -> array(tensor, DType.U8).toByteArray();
            case SHORTS -> {
                short[] values = new short[length(tensor, DType.I16)];
                elements(tensor).asShortBuffer().get(values);
                yield values;
            }
            case INTS -> {
                int[] values = new int[length(tensor, DType.I32)];
                elements(tensor).asIntBuffer().get(values);
                yield values;
            }
            case LONGS -> {
                long[] values = new long[length(tensor, DType.I64)];
                elements(tensor).asLongBuffer().get(values);
                yield values;
            }
            case FLOATS -> {
                float[] values = new float[length(tensor, DType.F32)];
                elements(tensor).asFloatBuffer().get(values);
                yield values;
            }
            case DOUBLES -> {
                double[] values = new double[length(tensor, DType.F64)];
                elements(tensor).asDoubleBuffer().get(values);
                yield values;
            }
        };
    }

    private long whole(Tensor tensor, long min, long max) {
        long value = number(tensor).longAt(0);
        if (value < min || value > max || tensor.doubleAt(0) != value) {
            throw new IllegalArgumentException("a component of type %s cannot be %s".formatted(type, tensor));
        }
        return value;
    }

    private Tensor number(Tensor tensor) {
        if (tensor.shape().rank() > 0) {
            throw new IllegalArgumentException(
                    "a component of type %s must be one number, was %s".formatted(type, tensor.type()));
        }
        return tensor;
    }

    private Tensor array(Tensor tensor, DType dtype) {
        if (tensor.dtype() != dtype || tensor.shape().rank() != 1) {
            throw new IllegalArgumentException(
                    "a component of type %s must be %s[n], was %s".formatted(type.getTypeName(), dtype, tensor.type()));
        }
        return tensor;
    }

    private int length(Tensor tensor, DType dtype) {
        return array(tensor, dtype).byteSize() / dtype.bytes();
    }

    private static ByteBuffer elements(Tensor tensor) {
        return tensor.slice().order(ByteOrder.LITTLE_ENDIAN);
    }
}
