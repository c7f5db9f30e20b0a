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
abstract class ArrowValues {

    private final int length;
    private final @Nullable ByteBuffer valid;

    private ArrowValues(ArrowBatch batch, ArrowNode node) {
        this.length = batch.place(node).length();
        ByteBuffer bits = batch.buffer(node, 0);
        this.valid = bits.limit() == 0 ? null : bits;
        if (valid != null) {
            require(valid, (length + 7L) / Byte.SIZE, node);
        }
    }

    /** Adds the value at an index, or a null. */
    final void add(int index, ColumnBuilder into, int level) {
        if (valid != null && (valid.get(index >> 3) >> (index & 7) & 1) == 0) {
            missing(into, level);
        } else {
            value(index, into, level);
        }
    }

    abstract void value(int index, ColumnBuilder into, int level);

    /** Adds a null: an empty list, if there is one at this node or below it. */
    void missing(ColumnBuilder into, int level) {
        into.missing(true);
    }

    int length() {
        return length;
    }

    /**
     * The values at the end of a path.
     * @param at           where the path goes on
     * @param dictionaries the batches of each dictionary, one after another
     */
    static ArrowValues of(
            ArrowBatch batch, List<ArrowNode> path, int at, Map<ArrowNode, List<ArrowBatch>> dictionaries) {
        ArrowNode node = path.get(at);
        return switch (node.kind) {
            case STRUCT -> new Struct(batch, node, of(batch, path, at + 1, dictionaries));
            case LIST -> new Lists(batch, node, of(batch, path, at + 1, dictionaries));
            case FIXED_LIST -> new FixedLists(batch, node, of(batch, path, at + 1, dictionaries));
            case DICTIONARY -> new Numbered(batch, node, path, at, dictionaries);
            case BYTES -> new Bytes(batch, node);
            case FIXED_BYTES -> new FixedBytes(batch, node);
            case VIEW -> new Views(batch, node);
            case DECIMAL -> new Decimals(batch, node);
            case BOOL -> new Bools(batch, node);
            default -> new Numbers(batch, node);
        };
    }

    private static void require(ByteBuffer buffer, long bytes, ArrowNode node) {
        if (bytes > buffer.limit()) {
            throw new FormatException(
                    "a buffer of field %s has %d bytes, %d are needed".formatted(node.name, buffer.limit(), bytes));
        }
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

    private static final class Struct extends ArrowValues {
        private final ArrowValues member;

        Struct(ArrowBatch batch, ArrowNode node, ArrowValues member) {
            super(batch, node);
            this.member = member;
            requireValues(node, member, length());
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            member.add(index, into, level);
        }

        @Override
        void missing(ColumnBuilder into, int level) {
            member.missing(into, level);
        }
    }

    private static void requireValues(ArrowNode node, ArrowValues member, long count) {
        if (count > member.length()) {
            throw new FormatException(
                    "field %s has %d values below it, %d are needed".formatted(node.name, member.length(), count));
        }
    }

    private static final class Lists extends ArrowValues {
        private final ArrowValues elements;
        private final ByteBuffer offsets;
        private final int width;

        Lists(ArrowBatch batch, ArrowNode node, ArrowValues elements) {
            super(batch, node);
            this.elements = elements;
            this.width = node.width;
            this.offsets = offsets(batch, node, length(), elements.length());
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            into.list(level);
            long end = number(offsets, index + 1, width);
            for (long i = number(offsets, index, width); i < end; i++) {
                into.element(level);
                elements.add((int) i, into, level + 1);
            }
        }

        @Override
        void missing(ColumnBuilder into, int level) {
            into.list(level);
            into.missing(false);
        }
    }

    private static final class FixedLists extends ArrowValues {
        private final ArrowValues elements;
        private final int size;

        FixedLists(ArrowBatch batch, ArrowNode node, ArrowValues elements) {
            super(batch, node);
            this.elements = elements;
            this.size = node.width;
            requireValues(node, elements, (long) size * length());
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            into.list(level);
            for (int i = 0; i < size; i++) {
                into.element(level);
                elements.add(index * size + i, into, level + 1);
            }
        }

        @Override
        void missing(ColumnBuilder into, int level) {
            into.list(level);
            into.missing(false);
        }
    }

    /** Numbers of values in a dictionary, of which a batch may have several parts. */
    private static final class Numbered extends ArrowValues {
        private final ByteBuffer indices;
        private final int width;
        private final List<ArrowValues> parts = new ArrayList<>();
        private final String name;

        Numbered(
                ArrowBatch batch,
                ArrowNode node,
                List<ArrowNode> path,
                int at,
                Map<ArrowNode, List<ArrowBatch>> dictionaries) {
            super(batch, node);
            this.indices = batch.buffer(node, 1);
            this.width = node.width;
            this.name = node.name;
            require(indices, (long) width * length(), node);
            for (ArrowBatch part : dictionaries.getOrDefault(node, List.of())) {
                parts.add(of(part, path, at + 1, dictionaries));
            }
            if (parts.isEmpty()) {
                throw new FormatException("the dictionary of field %s did not come before it".formatted(name));
            }
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            long number = number(indices, index, width);
            if (width < Long.BYTES) {
                number &= (1L << width * Byte.SIZE) - 1;
            }
            for (ArrowValues part : parts) {
                if (number >= 0 && number < part.length()) {
                    part.add((int) number, into, level);
                    return;
                }
                number -= part.length();
            }
            throw new FormatException("the dictionary of field %s has no value of this number".formatted(name));
        }

        @Override
        void missing(ColumnBuilder into, int level) {
            parts.get(0).missing(into, level);
        }
    }

    private static final class Bytes extends ArrowValues {
        private final ByteBuffer data;
        private final ByteBuffer offsets;
        private final int width;

        Bytes(ArrowBatch batch, ArrowNode node) {
            super(batch, node);
            this.data = batch.buffer(node, 2);
            this.width = node.width;
            this.offsets = offsets(batch, node, length(), data.limit());
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            int start = (int) number(offsets, index, width);
            int end = (int) number(offsets, index + 1, width);
            into.add(data.array(), data.arrayOffset() + start, end - start);
        }
    }

    /** Values of one width, one behind the other. */
    private abstract static class Fixed extends ArrowValues {
        final ByteBuffer data;
        final int width;

        Fixed(ArrowBatch batch, ArrowNode node) {
            super(batch, node);
            this.data = batch.buffer(node, 1);
            this.width = node.width;
            require(data, (long) width * length(), node);
        }
    }

    private static final class FixedBytes extends Fixed {

        FixedBytes(ArrowBatch batch, ArrowNode node) {
            super(batch, node);
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            ByteBuffer bytes = data;
            into.add(bytes.array(), bytes.arrayOffset() + index * width, width);
        }
    }

    /** Short values lie in their view: a length and 12 bytes. Of longer ones it has the buffer and the offset. */
    private static final class Views extends ArrowValues {
        private static final int INLINE = 12;
        private final List<ByteBuffer> buffers = new ArrayList<>();
        private final ByteBuffer views;
        private final String name;

        Views(ArrowBatch batch, ArrowNode node) {
            super(batch, node);
            this.name = node.name;
            this.views = batch.buffer(node, 1);
            require(views, (long) node.width * length(), node);
            for (int i = 2; i < batch.place(node).buffers(); i++) {
                buffers.add(batch.buffer(node, i));
            }
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            int at = 16 * index;
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
                throw new FormatException("a value of field %s is not in its buffers".formatted(name));
            }
            ByteBuffer buffer = buffers.get(number);
            into.add(buffer.array(), buffer.arrayOffset() + offset, size);
        }
    }

    private static final class Decimals extends Fixed {
        private final int scale;

        Decimals(ArrowBatch batch, ArrowNode node) {
            super(batch, node);
            this.scale = node.detail;
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            byte[] big = new byte[width];
            for (int i = 0; i < width; i++) {
                big[width - 1 - i] = data.get(index * width + i);
            }
            double value = new BigDecimal(new BigInteger(big), scale).doubleValue();
            into.add(Double.doubleToRawLongBits(value));
        }
    }

    private static final class Bools extends ArrowValues {
        private final ByteBuffer data;

        Bools(ArrowBatch batch, ArrowNode node) {
            super(batch, node);
            this.data = batch.buffer(node, 1);
            require(data, (length() + 7L) / Byte.SIZE, node);
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            into.add(data.get(index >> 3) >> (index & 7) & 1);
        }
    }

    private static final class Numbers extends Fixed {

        Numbers(ArrowBatch batch, ArrowNode node) {
            super(batch, node);
        }

        @Override
        void value(int index, ColumnBuilder into, int level) {
            into.add(number(data, index, width));
        }
    }
}
