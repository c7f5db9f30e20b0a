package io.penstock.table.internal.arrow;

import io.penstock.fault.FormatException;
import io.penstock.table.internal.ColumnBuilder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of one node of a column, and through them those below it. Every offset and length is compared with what is
 * there before any value is read.
 */
record ArrowValues(int length, @Nullable ByteBuffer valid, boolean isList, Value value) {

    /** Values of up to this many bytes lie in their view. */
    private static final int INLINE = 12;

    /** Adds the value at an index, which is no null. */
    @FunctionalInterface
    private interface Value {
        void add(int index, ColumnBuilder into, int level);
    }

    /**
     * The values at the end of a path.
     * @param at           where the path goes on
     * @param dictionaries the batches of each dictionary, one after another
     */
    static ArrowValues of(
            ArrowBatch batch, List<ArrowNode> path, int at, Map<ArrowNode, List<ArrowBatch>> dictionaries) {
        ArrowNode node = path.get(at);
        int length = batch.place(node).length();
        ByteBuffer bits = batch.buffer(node, 0);
        ByteBuffer valid = bits.limit() == 0 ? null : bits;
        if (valid != null) {
            require(valid, (length + 7L) / Byte.SIZE, node);
        }
        boolean isList = path.subList(at, path.size()).stream()
                .anyMatch(each -> each.kind == ArrowNode.Kind.LIST || each.kind == ArrowNode.Kind.FIXED_LIST);
        Value value = switch (node.kind) {
            case STRUCT -> below(node, of(batch, path, at + 1, dictionaries), length)::add;
            case LIST -> lists(batch, node, of(batch, path, at + 1, dictionaries), length);
            case FIXED_LIST -> fixedLists(batch, node, of(batch, path, at + 1, dictionaries), length);
            case DICTIONARY -> {
                List<ArrowValues> parts = new ArrayList<>();
                for (ArrowBatch part : dictionaries.getOrDefault(node, List.of())) {
                    parts.add(of(part, path, at + 1, dictionaries));
                }
                yield numbered(batch, node, parts, length);
            }
            case BYTES -> bytes(batch, node, length);
            case FIXED_BYTES -> fixedBytes(batch, node, length);
            case VIEW -> views(batch, node, length);
            case DECIMAL -> decimals(batch, node, length);
            case BOOL -> bools(batch, node, length);
            default -> numbers(batch, node, length);
        };
        return new ArrowValues(length, valid, isList, value);
    }

    /** Adds the value at an index, or a null: an empty list, if there is a list at this node or below it. */
    void add(int index, ColumnBuilder into, int level) {
        if (valid == null || (valid.get(index >> 3) >> (index & 7) & 1) != 0) {
            value.add(index, into, level);
        } else if (isList) {
            into.list(level);
            into.missing(false);
        } else {
            into.missing(true);
        }
    }

    private static void require(ByteBuffer buffer, long bytes, ArrowNode node) {
        if (bytes > buffer.limit()) {
            throw new FormatException(
                    "a buffer of field %s has %d bytes, %d are needed".formatted(node.name, buffer.limit(), bytes));
        }
    }

    private static ArrowValues below(ArrowNode node, ArrowValues member, long count) {
        if (count > member.length) {
            throw new FormatException(
                    "field %s has %d values below it, %d are needed".formatted(node.name, member.length, count));
        }
        return member;
    }

    private static long number(ByteBuffer buffer, int index, int width) {
        return switch (width) {
            case Byte.BYTES -> buffer.get(index);
            case Short.BYTES -> buffer.getShort(index * Short.BYTES);
            case Integer.BYTES -> buffer.getInt(index * Integer.BYTES);
            default -> buffer.getLong(index * Long.BYTES);
        };
    }

    /** Offsets that only grow, and end within what they are offsets of. */
    private static ByteBuffer offsets(ArrowBatch batch, ArrowNode node, int length, long max) {
        ByteBuffer offsets = batch.buffer(node, 1);
        if (length == 0) {
            return offsets;
        }
        require(offsets, (length + 1L) * node.width, node);
        long before = 0;
        for (int i = 0; i <= length; i++) {
            long offset = number(offsets, i, node.width);
            if (offset < before || offset > max) {
                throw new FormatException(
                        "offset %d of field %s is %d, after %d of %d".formatted(i, node.name, offset, before, max));
            }
            before = offset;
        }
        return offsets;
    }

    private static Value lists(ArrowBatch batch, ArrowNode node, ArrowValues elements, int length) {
        ByteBuffer offsets = offsets(batch, node, length, elements.length);
        int width = node.width;
        return (index, into, level) -> {
            into.list(level);
            long end = number(offsets, index + 1, width);
            for (long i = number(offsets, index, width); i < end; i++) {
                into.element(level);
                elements.add((int) i, into, level + 1);
            }
        };
    }

    private static Value fixedLists(ArrowBatch batch, ArrowNode node, ArrowValues elements, int length) {
        int size = node.width;
        if (size == 0) {
            batch.requireBacked(length);
        }
        below(node, elements, (long) size * length);
        return (index, into, level) -> {
            into.list(level);
            for (int i = 0; i < size; i++) {
                into.element(level);
                elements.add(index * size + i, into, level + 1);
            }
        };
    }

    /** Numbers of values in a dictionary, of which a batch may have several parts. */
    private static Value numbered(ArrowBatch batch, ArrowNode node, List<ArrowValues> parts, int length) {
        ByteBuffer indices = fixed(batch, node, length);
        if (parts.isEmpty()) {
            throw new FormatException("the dictionary of field %s did not come before it".formatted(node.name));
        }
        int width = node.width;
        long mask = width < Long.BYTES ? (1L << width * Byte.SIZE) - 1 : -1;
        return (index, into, level) -> {
            long number = number(indices, index, width) & mask;
            for (ArrowValues part : parts) {
                if (number >= 0 && number < part.length) {
                    part.add((int) number, into, level);
                    return;
                }
                number -= part.length;
            }
            throw new FormatException("the dictionary of field %s has no value of this number".formatted(node.name));
        };
    }

    private static Value bytes(ArrowBatch batch, ArrowNode node, int length) {
        ByteBuffer data = batch.buffer(node, 2);
        ByteBuffer offsets = offsets(batch, node, length, data.limit());
        int width = node.width;
        return (index, into, level) -> {
            int start = (int) number(offsets, index, width);
            int end = (int) number(offsets, index + 1, width);
            into.add(data.array(), data.arrayOffset() + start, end - start);
        };
    }

    /** Values of one width, one behind the other. */
    private static ByteBuffer fixed(ArrowBatch batch, ArrowNode node, int length) {
        ByteBuffer data = batch.buffer(node, 1);
        require(data, (long) node.width * length, node);
        return data;
    }

    private static Value numbers(ArrowBatch batch, ArrowNode node, int length) {
        ByteBuffer data = fixed(batch, node, length);
        int width = node.width;
        return (index, into, level) -> into.add(number(data, index, width));
    }

    private static Value bools(ArrowBatch batch, ArrowNode node, int length) {
        ByteBuffer data = batch.buffer(node, 1);
        require(data, (length + 7L) / Byte.SIZE, node);
        return (index, into, level) -> into.add(data.get(index >> 3) >> (index & 7) & 1);
    }

    private static Value fixedBytes(ArrowBatch batch, ArrowNode node, int length) {
        ByteBuffer data = fixed(batch, node, length);
        int width = node.width;
        if (width == 0) {
            batch.requireBacked(length);
        }
        return (index, into, level) -> into.add(data.array(), data.arrayOffset() + index * width, width);
    }

    private static Value decimals(ArrowBatch batch, ArrowNode node, int length) {
        ByteBuffer data = fixed(batch, node, length);
        int width = node.width;
        return (index, into, level) -> {
            byte[] big = new byte[width];
            for (int i = 0; i < width; i++) {
                big[width - 1 - i] = data.get(index * width + i);
            }
            double value = new BigDecimal(new BigInteger(big), node.detail).doubleValue();
            into.add(Double.doubleToRawLongBits(value));
        };
    }

    /** Short values lie in their view, behind their length. Of longer ones it has the buffer and the offset. */
    private static Value views(ArrowBatch batch, ArrowNode node, int length) {
        ByteBuffer views = fixed(batch, node, length);
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int i = 2; i < batch.place(node).buffers(); i++) {
            buffers.add(batch.buffer(node, i));
        }
        return (index, into, level) -> {
            int at = node.width * index;
            int size = views.getInt(at);
            if (size >= 0 && size <= INLINE) {
                into.add(views.array(), views.arrayOffset() + at + Integer.BYTES, size);
                return;
            }
            int number = views.getInt(at + 8);
            int offset = views.getInt(at + 12);
            if (size < 0
                    || number < 0
                    || number >= buffers.size()
                    || offset < 0
                    || offset > buffers.get(number).limit() - size) {
                throw new FormatException("a value of field %s is not in its buffers".formatted(node.name));
            }
            ByteBuffer buffer = buffers.get(number);
            into.add(buffer.array(), buffer.arrayOffset() + offset, size);
        };
    }
}
