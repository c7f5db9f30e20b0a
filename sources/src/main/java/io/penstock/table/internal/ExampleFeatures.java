package io.penstock.table.internal;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The features of a {@code tf.train.Example} or {@code SequenceExample}, as slices of its bytes. What a length claims
 * is compared with what is there; nothing is allocated for it.
 *
 * @see <a href="https://protobuf.dev/programming-guides/encoding/">The wire format</a>
 */
public final class ExampleFeatures {

    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int DELIMITED = 2;
    private static final int FIXED32 = 5;

    private ExampleFeatures() {}

    /** What a feature's values are, by the numbers of the fields; {@link #EMPTY} for a feature that says nothing. */
    public enum Kind {
        EMPTY,
        BYTES,
        FLOATS,
        INTS
    }

    /**
     * A feature.
     *
     * @param kind     of its values; of a sequence's first step that has some
     * @param steps    one for a feature, one a step for a list of features; each the message with its values
     * @param sequence whether it is a list of features
     */
    public record Feature(Kind kind, List<ByteBuffer> steps, boolean sequence) {

        /** How many values a step has. */
        public int count(ByteBuffer step) {
            int[] count = {0};
            values(kind, step, new Sink() {
                @Override
                public void number(long bits) {
                    count[0]++;
                }

                @Override
                public void bytes(ByteBuffer value) {
                    count[0]++;
                }
            });
            return count[0];
        }
    }

    /** Takes values in their order. */
    public interface Sink {

        /** An integer, or the bits of a float. */
        void number(long bits);

        void bytes(ByteBuffer value);
    }

    /**
     * The features that a record has.
     * @throws FormatException if it is no such message, naming the byte
     */
    public static Map<String, Feature> read(ByteBuffer example) {
        Map<String, Feature> features = new TreeMap<>();
        ByteBuffer in = example.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            int tag = tag(in);
            int field = tag >>> 3;
            if ((tag & 7) == DELIMITED && (field == 1 || field == 2)) {
                entries(nested(in), field == 2, features);
            } else {
                skip(in, tag);
            }
        }
        return features;
    }

    private static void entries(ByteBuffer in, boolean lists, Map<String, Feature> features) {
        while (in.hasRemaining()) {
            int tag = tag(in);
            if (tag != (1 << 3 | DELIMITED)) {
                skip(in, tag);
                continue;
            }
            ByteBuffer entry = nested(in);
            String name = "";
            Feature feature = new Feature(Kind.EMPTY, List.of(), lists);
            while (entry.hasRemaining()) {
                int part = tag(entry);
                if (part == (1 << 3 | DELIMITED)) {
                    name = StandardCharsets.UTF_8.decode(nested(entry)).toString();
                } else if (part == (2 << 3 | DELIMITED)) {
                    feature = lists ? list(nested(entry)) : feature(nested(entry));
                } else {
                    skip(entry, part);
                }
            }
            features.put(name, feature);
        }
    }

    private static Feature list(ByteBuffer in) {
        List<ByteBuffer> steps = new ArrayList<>();
        Kind kind = Kind.EMPTY;
        while (in.hasRemaining()) {
            int tag = tag(in);
            if (tag != (1 << 3 | DELIMITED)) {
                skip(in, tag);
                continue;
            }
            Feature step = feature(nested(in));
            if (kind != Kind.EMPTY && step.kind != Kind.EMPTY && kind != step.kind) {
                throw broken(in, "a list has %s after %s".formatted(step.kind, kind));
            }
            kind = step.kind == Kind.EMPTY ? kind : step.kind;
            steps.add(step.steps.isEmpty() ? ByteBuffer.allocate(0) : step.steps.get(0));
        }
        return new Feature(kind, steps, true);
    }

    private static Feature feature(ByteBuffer in) {
        Feature feature = new Feature(Kind.EMPTY, List.of(), false);
        while (in.hasRemaining()) {
            int tag = tag(in);
            int field = tag >>> 3;
            if ((tag & 7) == DELIMITED && field >= 1 && field <= 3) {
                if (feature.kind != Kind.EMPTY) {
                    throw broken(in, "a feature has two lists of values");
                }
                feature = new Feature(Kind.values()[field], List.of(nested(in)), false);
            } else {
                skip(in, tag);
            }
        }
        return feature;
    }

    /** Gives the values of a step, packed or not. */
    public static void values(Kind kind, ByteBuffer step, Sink sink) {
        ByteBuffer in = step.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            int tag = tag(in);
            if (tag >>> 3 != 1) {
                skip(in, tag);
            } else if ((tag & 7) == DELIMITED) {
                ByteBuffer value = nested(in);
                if (kind == Kind.BYTES) {
                    sink.bytes(value);
                    continue;
                }
                while (value.hasRemaining()) {
                    sink.number(number(kind, value));
                }
            } else if ((tag & 7) == (kind == Kind.FLOATS ? FIXED32 : VARINT) && kind != Kind.BYTES) {
                sink.number(number(kind, in));
            } else {
                throw broken(in, "a value of wire type %d is no %s".formatted(tag & 7, kind));
            }
        }
    }

    private static long number(Kind kind, ByteBuffer in) {
        if (kind == Kind.INTS) {
            return varint(in);
        }
        require(in, Integer.BYTES);
        return in.getInt();
    }

    private static int tag(ByteBuffer in) {
        long tag = varint(in);
        if (tag >>> 3 == 0 || tag >>> 32 != 0) {
            throw broken(in, "there is no field %s".formatted(Long.toUnsignedString(tag >>> 3)));
        }
        return (int) tag;
    }

    private static void skip(ByteBuffer in, int tag) {
        switch (tag & 7) {
            case VARINT -> varint(in);
            case FIXED64 -> in.position(in.position() + require(in, Long.BYTES));
            case DELIMITED -> nested(in);
            case FIXED32 -> in.position(in.position() + require(in, Integer.BYTES));
            default -> throw broken(in, "there is no wire type %d".formatted(tag & 7));
        }
    }

    private static ByteBuffer nested(ByteBuffer in) {
        long length = varint(in);
        int bytes = require(in, length);
        ByteBuffer nested = in.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        nested.limit(in.position() + bytes);
        in.position(in.position() + bytes);
        return nested;
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            require(in, 1);
            byte b = in.get();
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw broken(in, "a number has more than 10 bytes");
    }

    private static int require(ByteBuffer in, long bytes) {
        if (bytes < 0 || bytes > in.remaining()) {
            String claimed = Long.toUnsignedString(bytes);
            throw broken(in, "%s bytes are claimed, %d are left".formatted(claimed, in.remaining()));
        }
        return (int) bytes;
    }

    private static FormatException broken(ByteBuffer in, String what) {
        return new FormatException("no tf.train.Example: %s at byte %d of the record".formatted(what, in.position()));
    }
}
