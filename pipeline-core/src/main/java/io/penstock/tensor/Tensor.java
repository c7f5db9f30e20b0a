package io.penstock.tensor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An immutable n-dimensional array: a dtype, a shape, and its elements as little-endian bytes in C order.
 *
 * <p>A tensor is a view: it stays valid while it is reachable, wherever its bytes lie, and has nothing to close. The
 * exception is a tensor of a batch, which is lent: once the batch is closed, every access to its elements is an {@link
 * IllegalStateException}, also through tensors made of it. {@link #copy} makes one that stays. It may be shared between
 * threads. Equality is of dtype, shape and bytes, so {@code NaN} equals itself.
 */
public final class Tensor {

    private static final VarHandle SHORT = little(short[].class);
    private static final VarHandle INT = little(int[].class);
    private static final VarHandle LONG = little(long[].class);
    private static final VarHandle FLOAT = little(float[].class);
    private static final VarHandle DOUBLE = little(double[].class);

    /** How many values {@link #toString} shows. */
    private static final int SHOWN = 8;

    private final DType dtype;
    private final Shape shape;

    // a buffer, of whichever byte order, and where in it: a slice a tensor would be most of the garbage of a cache hit
    private final ByteBuffer memory;
    private final int offset;
    private final int length;
    private final @Nullable BooleanSupplier returned;

    private Tensor(
            DType dtype, Shape shape, ByteBuffer memory, int offset, int length, @Nullable BooleanSupplier returned) {
        this.dtype = dtype;
        this.shape = shape;
        this.memory = memory;
        this.offset = offset;
        this.length = length;
        this.returned = returned;
    }

    private Tensor(DType dtype, Shape shape, ByteBuffer memory) {
        this(dtype, shape, memory, 0, memory.capacity(), null);
    }

    private static VarHandle little(Class<?> array) {
        return MethodHandles.byteBufferViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * A view of a buffer's remaining bytes. Nothing is copied, so nothing may write to the buffer any more.
     * @throws IllegalArgumentException if the number of remaining bytes is not what dtype and shape need
     */
    public static Tensor of(DType dtype, Shape shape, ByteBuffer data) {
        ByteBuffer own = data.slice(); // the caller may move the limit of its own
        return view(dtype, shape, own, 0, own.capacity());
    }

    /** The same over a part of a buffer whose limit stays. */
    static Tensor view(DType dtype, Shape shape, ByteBuffer data, int offset, int length) {
        return new Tensor(dtype, checked(dtype, shape, length), data, offset, length, null);
    }

    private static Shape checked(DType dtype, Shape shape, int length) {
        // compared as a quotient, so that a hostile shape cannot overflow the product
        if (dtype.remainder(length) != 0 || dtype.elementsIn(length) != shape.elements()) {
            throw new IllegalArgumentException("%s%s needs %d elements of %d bytes, has %d bytes"
                    .formatted(dtype, shape, shape.elements(), dtype.bytes(), length));
        }
        return shape;
    }

    /** As {@link #view}, for a dtype, shape and length that were found to agree. */
    static Tensor known(DType dtype, Shape shape, ByteBuffer data, int offset, int length) {
        return new Tensor(dtype, shape, data, offset, length, null);
    }

    /** A view of an array as {@code u8}, which must not be written to any more; no lengths mean one axis. */
    public static Tensor ofBytes(byte[] values, long... dims) {
        return of(DType.U8, shape(values.length, dims), ByteBuffer.wrap(values));
    }

    /** A copy of an array as {@code i32}; no lengths mean one axis. */
    public static Tensor ofInts(int[] values, long... dims) {
        ByteBuffer data = allocate(values.length, Integer.BYTES);
        data.asIntBuffer().put(values);
        return of(DType.I32, shape(values.length, dims), data);
    }

    /** A copy of an array as {@code i64}; no lengths mean one axis. */
    public static Tensor ofLongs(long[] values, long... dims) {
        ByteBuffer data = allocate(values.length, Long.BYTES);
        data.asLongBuffer().put(values);
        return of(DType.I64, shape(values.length, dims), data);
    }

    /** A copy of an array as {@code f32}; no lengths mean one axis. */
    public static Tensor ofFloats(float[] values, long... dims) {
        ByteBuffer data = allocate(values.length, Float.BYTES);
        data.asFloatBuffer().put(values);
        return of(DType.F32, shape(values.length, dims), data);
    }

    /** A copy of an array as {@code f64}; no lengths mean one axis. */
    public static Tensor ofDoubles(double[] values, long... dims) {
        ByteBuffer data = allocate(values.length, Double.BYTES);
        data.asDoubleBuffer().put(values);
        return of(DType.F64, shape(values.length, dims), data);
    }

    /** One {@code i32}. */
    public static Tensor scalar(int value) {
        return new Tensor(DType.I32, Shape.SCALAR, allocate(1, Integer.BYTES).putInt(0, value));
    }

    /** One {@code i64}. */
    public static Tensor scalar(long value) {
        return new Tensor(DType.I64, Shape.SCALAR, allocate(1, Long.BYTES).putLong(0, value));
    }

    /** One {@code f32}. */
    public static Tensor scalar(float value) {
        return new Tensor(DType.F32, Shape.SCALAR, allocate(1, Float.BYTES).putFloat(0, value));
    }

    /** One {@code f64}. */
    public static Tensor scalar(double value) {
        return new Tensor(DType.F64, Shape.SCALAR, allocate(1, Double.BYTES).putDouble(0, value));
    }

    /** One {@code bool}. */
    public static Tensor scalar(boolean value) {
        return new Tensor(DType.BOOL, Shape.SCALAR, allocate(1, 1).put(0, (byte) (value ? 1 : 0)));
    }

    /** A text as its UTF-8 bytes, {@code u8[n]}. */
    public static Tensor utf8(String text) {
        return ofBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static ByteBuffer allocate(int elements, int width) {
        return ByteBuffer.allocate(Math.multiplyExact(elements, width)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Shape shape(int elements, long[] dims) {
        return dims.length == 0 ? Shape.of(elements) : Shape.of(dims);
    }

    public DType dtype() {
        return dtype;
    }

    public Shape shape() {
        return shape;
    }

    /** Whether it is {@code u8[n]}, as texts and bytes are. */
    public boolean isText() {
        return dtype == DType.U8 && shape.rank() == 1;
    }

    /** The size of all elements, in bytes. */
    public int byteSize() {
        return length;
    }

    /**
     * The same elements in memory that is lent: once {@code returned} says so, they cannot be read, by this tensor or by one
     * made of it, since the memory may have other contents.
     * @param returned asked before each access, from any thread
     */
    public Tensor lent(BooleanSupplier returned) {
        BooleanSupplier before = this.returned;
        BooleanSupplier either = before == null ? returned : () -> before.getAsBoolean() || returned.getAsBoolean();
        return new Tensor(dtype, shape, memory, offset, length, either);
    }

    /** The same elements in memory of their own, on the heap: stays what it is when the batch of this one is closed. */
    public Tensor copy() {
        return new Tensor(dtype, shape, ByteBuffer.wrap(toByteArray()));
    }

    /** The buffer that has the bytes, if it may still be read. */
    private ByteBuffer bytes() {
        if (returned != null && returned.getAsBoolean()) {
            throw new IllegalStateException(
                    ("cannot read %s: its batch was closed, and its memory may hold another one; "
                                    + "before the close, copy what must outlive the batch")
                            .formatted(type()));
        }
        return memory;
    }

    /**
     * The elements as a new read-only, little-endian buffer from 0 to {@link #byteSize()}; shares the bytes. The buffer of
     * a batch's tensor must not be read once the batch is closed, which it cannot check.
     */
    public ByteBuffer data() {
        ByteBuffer all = slice();
        return (all.isReadOnly() ? all : all.asReadOnlyBuffer()).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** All bytes, from position 0 of a buffer that is not to be written to. */
    ByteBuffer slice() {
        return bytes().slice(offset, length);
    }

    /** Whether it is known to hold fast no more than twice the memory that it takes: not a row of something large. */
    @SuppressWarnings("ByteBufferBackingArray") // of which only the length is asked
    boolean isCompact() {
        return returned == null && memory.hasArray() && memory.array().length <= 2L * length;
    }

    /** Copies all bytes to an absolute place in a buffer, whose position stays. */
    public void copyTo(ByteBuffer target, int at) {
        target.put(at, bytes(), offset, length);
    }

    /** Copies a range of the bytes into an array. */
    public void copyTo(int from, byte[] target, int at, int count) {
        Objects.checkFromIndexSize(from, count, length);
        bytes().get(offset + from, target, at, count);
    }

    /** All bytes, in a new array. */
    public byte[] toByteArray() {
        byte[] copy = new byte[length];
        bytes().get(offset, copy);
        return copy;
    }

    /** All elements as {@link #floatAt} has them, in C order, in a new array. */
    public float[] toFloatArray() {
        float[] copy = new float[elements()];
        if (dtype == DType.F32) {
            data().asFloatBuffer().get(copy);
        } else {
            for (int i = 0; i < copy.length; i++) {
                copy[i] = floatAt(i);
            }
        }
        return copy;
    }

    /**
     * All elements as integers, in C order, in a new array; floats are truncated.
     * @throws ArithmeticException if one does not fit into 32 bits
     */
    public int[] toIntArray() {
        int[] copy = new int[elements()];
        for (int i = 0; i < copy.length; i++) {
            long value = longAt(i);
            copy[i] = (int) value;
            if (copy[i] != value) {
                throw new ArithmeticException(
                        "element %d of %s does not fit into 32 bits: %d".formatted(i, type(), value));
            }
        }
        return copy;
    }

    /** The text of a {@link #utf8} tensor. */
    public String toText() {
        return new String(toByteArray(), StandardCharsets.UTF_8);
    }

    /**
     * One element as an integer, counted in C order; unsigned types are widened, but for {@code u64}, whose 64 bits it
     * returns; floats are truncated.
     */
    public long longAt(int element) {
        return switch (dtype) {
            case F16, BF16, F32, F64 -> (long) doubleAt(element);
            case BOOL, U8 -> bytes().get(place(element)) & 0xFF;
            case I8 -> bytes().get(place(element));
            case U16 -> (short) SHORT.get(bytes(), place(element)) & 0xFFFF;
            case I16 -> (short) SHORT.get(bytes(), place(element));
            case U32 -> (int) INT.get(bytes(), place(element)) & 0xFFFF_FFFFL;
            case I32 -> (int) INT.get(bytes(), place(element));
            case U64, I64 -> (long) LONG.get(bytes(), place(element));
        };
    }

    /** One element as a floating-point number, counted in C order. */
    public double doubleAt(int element) {
        return switch (dtype) {
            case F16 -> half((short) SHORT.get(bytes(), place(element)));
            case BF16 -> Float.intBitsToFloat((short) SHORT.get(bytes(), place(element)) << 16);
            case F32 -> (float) FLOAT.get(bytes(), place(element));
            case F64 -> (double) DOUBLE.get(bytes(), place(element));
            case U64 -> unsigned(longAt(element));
            default -> longAt(element);
        };
    }

    /** An IEEE 754 binary16, which {@code Float.float16ToFloat} of Java 20 reads. */
    private static float half(short bits) {
        int exponent = bits >> 10 & 0x1F;
        int fraction = bits & 0x3FF;
        float value = exponent == 0x1F
                ? fraction == 0 ? Float.POSITIVE_INFINITY : Float.NaN
                : exponent == 0 ? fraction * 0x1p-24f : Math.scalb(0x400 + fraction, exponent - 25);
        return bits < 0 ? -value : value;
    }

    private static double unsigned(long bits) {
        double half = bits >>> 1 | bits & 1; // sticky, so that it rounds once
        return bits < 0 ? 2 * half : bits;
    }

    /** One element as an {@code f32}, counted in C order; the nearest one, if it is of a wider type. */
    public float floatAt(int element) {
        return (float) doubleAt(element);
    }

    private int place(int element) {
        return offset + Objects.checkIndex(element, elements()) * dtype.bytes();
    }

    private int elements() {
        return length / dtype.bytes();
    }

    /** The same elements in another shape. */
    public Tensor reshape(Shape other) {
        return new Tensor(dtype, checked(dtype, other, length), memory, offset, length, returned);
    }

    /** One entry along the first axis: row i of {@code [n, h, w]} is {@code [h, w]}. Shares the bytes. */
    public Tensor row(int index) {
        Shape inner = shape.dropFirst();
        if (index < 0 || index >= shape.dim(0)) {
            throw new IndexOutOfBoundsException("row must be in [0, " + shape.dim(0) + "), was " + index);
        }
        int size = Math.toIntExact(inner.elements() * dtype.bytes());
        return new Tensor(dtype, inner, memory, offset + index * size, size, returned);
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Tensor tensor
                        && dtype == tensor.dtype
                        && shape.equals(tensor.shape)
                        && slice().equals(tensor.slice());
    }

    @Override
    public int hashCode() {
        return 31 * shape.hashCode() + slice().hashCode();
    }

    /** The dtype and shape: {@code u8[224, 224, 3]}. */
    public String type() {
        return dtype.toString() + shape;
    }

    /** The dtype and shape, and the first values: {@code i32[3] {7, 8, 9}}. */
    @Override
    public String toString() {
        if (returned != null && returned.getAsBoolean()) {
            return type() + " of a closed batch";
        }
        if (elements() == 0) {
            return type();
        }
        String end = elements() > SHOWN ? ", …}" : "}";
        return IntStream.range(0, Math.min(elements(), SHOWN))
                .mapToObj(this::text)
                .collect(Collectors.joining(", ", type() + " {", end));
    }

    private String text(int element) {
        return switch (dtype) {
            case F16, BF16, F32 -> Float.toString(floatAt(element));
            case F64 -> Double.toString(doubleAt(element));
            case U64 -> Long.toUnsignedString(longAt(element));
            case BOOL -> Boolean.toString(longAt(element) != 0);
            default -> Long.toString(longAt(element));
        };
    }
}
