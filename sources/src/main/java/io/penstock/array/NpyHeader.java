package io.penstock.array;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;

/**
 * The header of NumPy's array files, versions 1 to 3.
 * @see <a href="https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html">numpy.lib.format</a>
 */
final class NpyHeader {

    /** NumPy believes 10,000 characters; names of structured types, which are refused anyway, may make it longer. */
    private static final int LONGEST = 1 << 16;

    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final int FIXED = 8;

    private NpyHeader() {}

    static ArrayHeader read(InputStream in, String name) {
        try {
            byte[] fixed = in.readNBytes(FIXED);
            if (fixed.length > 1 && fixed[0] == 'P' && fixed[1] == 'K') {
                throw new FormatException(
                        "%s is no npy file but a zip; if it is an npz archive of arrays, name one in it"
                                .formatted(name));
            }
            for (int i = 0; i < MAGIC.length; i++) {
                if (fixed.length < FIXED || fixed[i] != MAGIC[i]) {
                    throw new FormatException(
                            "%s is no npy file: does not start with 93 4E 55 4D 50 59".formatted(name));
                }
            }
            int version = fixed[6];
            if (version < 1 || version > 3) {
                throw new FormatException("%s is of npy version %d.%d: 1, 2 and 3 can be read"
                        .formatted(name, version & 0xFF, fixed[7] & 0xFF));
            }
            int lengthBytes = version == 1 ? 2 : 4;
            byte[] length = in.readNBytes(lengthBytes);
            long claimed = length.length < lengthBytes ? -1 : little(length);
            byte[] text = in.readNBytes((int) Math.max(0, Math.min(claimed, LONGEST)));
            if (text.length != claimed) {
                throw new FormatException("%s has an npy header of %d bytes, of at most %d: %d could be read"
                        .formatted(name, claimed, LONGEST, text.length));
            }
            Charset charset = version == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
            return parse(new String(text, charset), FIXED + lengthBytes + text.length, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long little(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return bytes.length == 2 ? buffer.getShort() & 0xFFFF : buffer.getInt() & 0xFFFF_FFFFL;
    }

    private static ArrayHeader parse(String text, int data, String name) {
        try {
            Map<String, String> entries = PythonLiteral.dictionary(text);
            if (!entries.keySet().equals(Set.of("descr", "fortran_order", "shape"))) {
                throw new PythonLiteral.Unreadable(
                        "has keys %s, not descr, fortran_order and shape".formatted(entries.keySet()));
            }
            String order = entries.getOrDefault("fortran_order", "");
            if (!order.equals("True") && !order.equals("False")) {
                throw new PythonLiteral.Unreadable("has fortran_order %s, not True or False".formatted(order));
            }
            String descr = entries.getOrDefault("descr", "");
            return new ArrayHeader(
                    dtype(descr, name),
                    ArrayHeader.shape(name, PythonLiteral.tuple(entries.getOrDefault("shape", ""))),
                    data,
                    descr.startsWith(">"),
                    order.equals("True"));
        } catch (PythonLiteral.Unreadable e) {
            throw new FormatException("%s has no npy header: %s".formatted(name, e.getMessage()), e);
        }
    }

    private static DType dtype(String descr, String name) {
        String type = descr.isEmpty() ? "" : descr.substring(1);
        String plain = type.matches("[mM]8(\\[[^\\]]*\\])?") ? "i8" : type;
        if (descr.isEmpty() || "<>|=".indexOf(descr.charAt(0)) < 0) {
            throw unsupported(descr, name);
        }
        return switch (plain) {
            case "b1" -> DType.BOOL;
            case "u1" -> DType.U8;
            case "i1" -> DType.I8;
            case "u2" -> DType.U16;
            case "i2" -> DType.I16;
            case "u4" -> DType.U32;
            case "i4" -> DType.I32;
            case "u8" -> DType.U64;
            case "i8" -> DType.I64;
            case "f2" -> DType.F16;
            case "f4" -> DType.F32;
            case "f8" -> DType.F64;
            default -> throw unsupported(descr, name);
        };
    }

    private static FormatException unsupported(String descr, String name) {
        String why = descr.startsWith("[")
                ? "structured elements have no dtype; save a field at a time"
                : descr.endsWith("O")
                        ? "objects are pickled, and reading them would run what they say; save numbers"
                        : "only booleans, integers, floats of 2, 4 and 8 bytes, and times can be read";
        return new FormatException("%s has elements of type %s: %s".formatted(name, descr, why));
    }
}
