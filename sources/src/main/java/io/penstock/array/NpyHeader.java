package io.penstock.array;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.zarr.internal.element.NumberType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The header of NumPy's array files, versions 1 to 3.
 * @see <a href="https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html">numpy.lib.format</a>
 */
final class NpyHeader {

    /** NumPy believes 10,000 characters; names of structured types, which are refused anyway, may make it longer. */
    private static final int LONGEST = 1 << 16;

    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final int FIXED = 8;
    private static final int MAX_DIMS = 64; // NumPy's own limit

    /** A key and its value: a text in quotes, a word, a tuple, or the list of a structured type. */
    private static final Pattern ENTRY = Pattern.compile(
            "\\s*(['\"])(\\w+)\\1\\s*:\\s*(?:(['\"])([^'\"\\\\]*)\\3|(\\w+|\\([^()]*\\)|\\[.*\\]))\\s*(?:,|$)",
            Pattern.DOTALL);

    private static final Pattern NUMBER = Pattern.compile("(\\d{1,18})L?");

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
        Map<String, String> entries = entries(text, name);
        if (!entries.keySet().equals(Set.of("descr", "fortran_order", "shape"))) {
            throw broken(name, "has keys %s, not descr, fortran_order and shape".formatted(entries.keySet()));
        }
        String order = entries.getOrDefault("fortran_order", "");
        if (!order.equals("True") && !order.equals("False")) {
            throw broken(name, "has fortran_order %s, not True or False".formatted(order));
        }
        String descr = entries.getOrDefault("descr", "");
        return new ArrayHeader(
                dtype(descr, name),
                ArrayHeader.shape(name, tuple(entries.getOrDefault("shape", ""), name)),
                data,
                descr.startsWith(">"),
                order.equals("True"));
    }

    /** The entries of {@code {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }}; texts without quotes. */
    private static Map<String, String> entries(String text, String name) {
        String literal = text.strip();
        if (!literal.startsWith("{") || !literal.endsWith("}")) {
            throw broken(name, "is not enclosed in braces");
        }
        Map<String, String> entries = new TreeMap<>();
        int end = literal.length() - 1;
        Matcher entry = ENTRY.matcher(literal).region(1, end);
        while (entry.lookingAt()) {
            String quoted = entry.group(4);
            if (entries.put(entry.group(2), quoted == null ? entry.group(5) : quoted) != null) {
                throw broken(name, "has \"%s\" twice".formatted(entry.group(2)));
            }
            entry.region(entry.end(), end);
        }
        int at = entry.regionStart();
        if (!literal.substring(at, end).isBlank()) {
            throw broken(
                    name,
                    "has no entry at character %d: \"%s\""
                            .formatted(at, literal.substring(at, Math.min(at + 12, end))));
        }
        return entries;
    }

    /** The numbers of a tuple: {@code ()}, {@code (3,)}, {@code (3, 4)}; Python 2 wrote {@code (3L,)}. */
    private static long[] tuple(String text, String name) {
        if (!text.startsWith("(") || !text.endsWith(")")) {
            throw broken(name, "has the shape %s, not a tuple".formatted(text));
        }
        String[] parts = text.substring(1, text.length() - 1).split(",", -1);
        int count = parts[parts.length - 1].isBlank() ? parts.length - 1 : parts.length;
        if (count > MAX_DIMS || count == 1 && parts.length == 1) {
            throw broken(name, "has a shape of %d axes that is no tuple of up to %d".formatted(count, MAX_DIMS));
        }
        long[] dims = new long[count];
        for (int i = 0; i < count; i++) {
            Matcher number = NUMBER.matcher(parts[i].strip());
            if (!number.matches()) {
                throw broken(name, "has a shape with \"%s\", not a number".formatted(parts[i].strip()));
            }
            dims[i] = Long.parseLong(number.group(1));
        }
        return dims;
    }

    private static FormatException broken(String name, String what) {
        return new FormatException("%s has no npy header: it %s".formatted(name, what));
    }

    private static DType dtype(String descr, String name) {
        String type = descr.isEmpty() ? "" : descr.substring(1);
        String plain = type.matches("[mM]8(\\[[^\\]]*\\])?") ? "i8" : type;
        if (descr.isEmpty() || "<>|=".indexOf(descr.charAt(0)) < 0) {
            throw unsupported(descr, name);
        }
        DType dtype = NumberType.ofCode(plain);
        if (dtype == null) {
            throw unsupported(descr, name);
        }
        return dtype;
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
