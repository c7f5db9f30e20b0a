package io.penstock.hdf5;

import io.jhdf.object.datatype.ArrayDataType;
import io.jhdf.object.datatype.BitField;
import io.jhdf.object.datatype.CompoundDataType;
import io.jhdf.object.datatype.CompoundDataType.CompoundDataMember;
import io.jhdf.object.datatype.DataType;
import io.jhdf.object.datatype.EnumDataType;
import io.jhdf.object.datatype.FixedPoint;
import io.jhdf.object.datatype.FloatingPoint;
import io.jhdf.object.datatype.OpaqueDataType;
import io.jhdf.object.datatype.OrderedDataType;
import io.jhdf.object.datatype.StringData;
import io.jhdf.object.datatype.StringData.StringPaddingHandler;
import io.jhdf.object.datatype.VariableLength;
import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.element.NumberType;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An element as it lies in a file, and what tensors are made of it.
 *
 * @param dtype   of the tensors; {@code u8} for texts and bytes
 * @param inner   axes that an element adds: of arrays, of complex numbers and of bytes that mean something to others
 * @param width   bytes in the file
 * @param padding of a text of one length; null for all others
 * @param onHeap  whether it is a list or text of any length, which lies elsewhere in the file
 */
record Hdf5Element(
        DType dtype,
        Shape inner,
        int width,
        boolean bigEndian,
        @Nullable StringPaddingHandler padding,
        boolean onHeap) {

    private static final int HEAP_REFERENCE = Integer.BYTES + Long.BYTES + Integer.BYTES;
    private static final String DATES = "NUMPY:[<>|]?[mM]8.*";

    /** Whether there is one text or list an element, each of a length of its own. */
    boolean isRagged() {
        return onHeap || padding != null;
    }

    /** @throws FormatException if there is no dtype for it */
    static Hdf5Element of(DataType type) {
        if (type instanceof StringData text) {
            return new Hdf5Element(
                    DType.U8, Shape.SCALAR, type.getSize(), false, text.getStringPaddingHandler(), false);
        }
        if (type instanceof VariableLength list) {
            Hdf5Element each = list.isVariableLengthString() ? bytes(Shape.SCALAR, 1) : of(list.getParent());
            if (each.isRagged() || each.inner.rank() > 0 || type.getSize() != HEAP_REFERENCE) {
                throw new FormatException("lists of lists or texts cannot be read, only those of numbers");
            }
            return new Hdf5Element(each.dtype, Shape.SCALAR, HEAP_REFERENCE, each.bigEndian, null, true);
        }
        if (type instanceof ArrayDataType array) {
            Hdf5Element each = of(array.getBaseType());
            long[] dims =
                    Arrays.stream(array.getArrayTypeDimensions()).asLongStream().toArray();
            Shape shape = Shape.of(dims);
            if (each.isRagged() || each.inner.rank() > 0 || shape.elements() * each.width != type.getSize()) {
                throw new FormatException("elements that are arrays can be read if they are of numbers alone");
            }
            return new Hdf5Element(each.dtype, shape, type.getSize(), each.bigEndian, null, false);
        }
        if (type instanceof CompoundDataType compound) {
            if (!isComplex(compound)) {
                throw new FormatException("elements that are arrays or lists of several fields cannot be read");
            }
            Hdf5Element part = of(compound.getMembers().get(0).getDataType());
            return new Hdf5Element(part.dtype, Shape.of(2), type.getSize(), part.bigEndian, null, false);
        }
        if (type instanceof OpaqueDataType opaque) {
            boolean date = opaque.getAsciiTag().matches(DATES) && type.getSize() == Long.BYTES;
            return date
                    ? number(DType.I64, opaque.getAsciiTag().contains(">"))
                    : bytes(Shape.of(type.getSize()), type.getSize());
        }
        boolean big = (type instanceof EnumDataType its ? its.getBaseType() : type) instanceof OrderedDataType ordered
                && ordered.getByteOrder() == ByteOrder.BIG_ENDIAN;
        return number(dtype(type), big);
    }

    private static Hdf5Element number(DType dtype, boolean bigEndian) {
        return new Hdf5Element(dtype, Shape.SCALAR, dtype.bytes(), bigEndian && dtype.bytes() > 1, null, false);
    }

    private static Hdf5Element bytes(Shape inner, int width) {
        return new Hdf5Element(DType.U8, inner, width, false, null, false);
    }

    /** Whether it is a complex number as h5py writes it. */
    static boolean isComplex(CompoundDataType compound) {
        List<CompoundDataMember> members = compound.getMembers();
        return members.size() == 2
                && members.get(0).getName().equals("r")
                && members.get(1).getName().equals("i")
                && members.get(0).getDataType() instanceof FloatingPoint part
                && members.get(1).getDataType() instanceof FloatingPoint other
                && part.getByteOrder() == other.getByteOrder()
                && members.get(0).getOffset() == 0
                && members.get(1).getOffset() == part.getSize()
                && other.getSize() == part.getSize()
                && compound.getSize() == 2 * part.getSize();
    }

    private static DType dtype(DataType type) {
        if (type instanceof EnumDataType words) {
            return words.getEnumMapping().equals(Map.of(0, "FALSE", 1, "TRUE"))
                            && words.getBaseType().getSize() == 1
                    ? DType.BOOL
                    : dtype(words.getBaseType());
        }
        @Nullable DType dtype = null;
        if (type instanceof FixedPoint number && isWhole(number.getBitOffset(), number.getBitPrecision(), type)) {
            dtype = NumberType.ofCode((number.isSigned() ? "i" : "u") + type.getSize());
        } else if (type instanceof BitField bits && isWhole(bits.getBitOffset(), bits.getBitPrecision(), type)) {
            dtype = NumberType.ofCode("u" + type.getSize());
        } else if (type instanceof FloatingPoint number) {
            // the sizes of the exponent and of the fraction tell IEEE's types, and Google's, from all others
            dtype = switch (number.getExponentSize() * 100 + number.getMantissaSize()) {
                case 5_10 -> DType.F16;
                case 8_07 -> DType.BF16;
                case 8_23 -> DType.F32;
                case 11_52 -> DType.F64;
                default -> null;
            };
        }
        if (dtype == null || dtype.bytes() != type.getSize()) {
            throw new FormatException(
                    ("elements of type %s of %d bytes have no dtype: booleans, integers and floats of 2, 4 and 8 bytes,"
                                    + " texts and lists of numbers can be read")
                            .formatted(type.getClass().getSimpleName(), type.getSize()));
        }
        return Objects.requireNonNull(dtype);
    }

    private static boolean isWhole(int offset, int bits, DataType type) {
        return offset == 0 && bits == Byte.SIZE * type.getSize();
    }
}
