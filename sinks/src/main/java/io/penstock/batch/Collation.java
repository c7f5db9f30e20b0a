package io.penstock.batch;

import io.penstock.order.Remainder;
import io.penstock.tensor.Schema;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The content of batches: the number of draws, the fields, the remainder and the padding. */
record Collation<T>(
        int n,
        Schema<T> schema,
        Remainder remainder,
        boolean padded,
        @Nullable Buckets<T> buckets) {

    /** A buffer holds 2 GiB, so larger batches would have rows of less than 128 bytes. */
    private static final int MAX_SIZE = 1 << 24;

    Collation {
        checkSize(n);
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(remainder, "remainder");
    }

    static void checkSize(int n) {
        if (n < 1 || n > MAX_SIZE) {
            throw new IllegalArgumentException("batch size must be in [1, %d], was %d".formatted(MAX_SIZE, n));
        }
    }

    static <T> Collation<T> of(int n, Schema<T> schema) {
        return new Collation<>(n, schema, Remainder.KEEP, false, null);
    }

    Collation<T> remainder(Remainder other) {
        return new Collation<>(n, schema, other, padded, buckets);
    }

    Collation<T> padShapes() {
        List<String> names = schema.names();
        for (String name : names) {
            if (names.contains(PaddedSlot.length(name)) || names.contains(PaddedSlot.shape(name))) {
                throw new IllegalArgumentException(
                        "padding adds \"%s\" and \"%s\", but there is a field of that name; rename it: %s"
                                .formatted(PaddedSlot.length(name), PaddedSlot.shape(name), names));
            }
        }
        return new Collation<>(n, schema, remainder, true, buckets);
    }

    Collation<T> buckets(Buckets<T> other) {
        return new Collation<>(n, schema, remainder, true, other).padShapes();
    }

    /** How many unfinished batches have a slot, which a ring needs beside those of complete batches. */
    int unfinished() {
        return buckets == null ? 0 : buckets.count();
    }

    Slot slot(Memory memory) {
        return padded ? new PaddedSlot(memory) : new StackedSlot(memory);
    }

    Batcher<T> batcher(SlotRing ring, Batcher.Output output) {
        return buckets == null
                ? new DrawBatcher<>(this, ring, output)
                : new BucketBatcher<>(this, buckets, ring, output);
    }

    @Override
    public String toString() {
        return "batches of %d %s, %s the remainder%s"
                .formatted(
                        n,
                        schema.names(),
                        remainder.name().toLowerCase(Locale.ROOT),
                        buckets != null ? ", " + buckets : padded ? ", padded" : "");
    }
}
