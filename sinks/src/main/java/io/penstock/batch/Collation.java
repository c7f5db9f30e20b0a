package io.penstock.batch;

import io.penstock.batch.internal.Memory;
import io.penstock.batch.internal.RowForm;
import io.penstock.batch.internal.Slot;
import io.penstock.batch.internal.SlotRing;
import io.penstock.internal.Arguments;
import io.penstock.order.Remainder;
import io.penstock.pipeline.Group;
import io.penstock.tensor.Schema;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The content of batches: the number of draws, the fields, the remainder and the padding. */
record Collation<T>(
        int n,
        Rows<T> rows,
        Remainder remainder,
        Map<String, RowForm> forms,
        boolean padded,
        boolean indexed,
        @Nullable Buckets<T> buckets) {

    /** The field of {@link Batches#withIndices}. */
    static final String INDEX = "index";

    /** A buffer holds 2 GiB, so larger batches would have rows of less than 128 bytes. */
    private static final int MAX_SIZE = 1 << 24;

    Collation {
        checkSize(n);
        Objects.requireNonNull(rows, "rows");
        Objects.requireNonNull(remainder, "remainder");
        if (remainder == Remainder.PAD && rows instanceof Rows.Grouped<?>) {
            throw new IllegalArgumentException(
                    "batches of groups cannot be padded to a number of rows: each group has its own; keep the"
                            + " remainder");
        }
    }

    /** @throws IllegalArgumentException if these are batches of groups, or there is a field of that name */
    Collation<T> withIndices() {
        if (rows instanceof Rows.Grouped<?>) {
            throw new IllegalArgumentException(
                    "batches of groups have no indices: a draw is a group of several samples; "
                            + "give the sample a component with its index");
        }
        if (rows.names().contains(INDEX)) {
            throw new IllegalArgumentException(
                    "withIndices adds \"%s\", but there is a field of that name; rename it: %s"
                            .formatted(INDEX, rows.names()));
        }
        return new Collation<>(n, rows, remainder, forms, padded, true, buckets);
    }

    /** The fields of a batch, without those that padding adds. */
    List<String> names() {
        return indexed ? Stream.concat(rows.names().stream(), Stream.of(INDEX)).toList() : rows.names();
    }

    static void checkSize(int n) {
        Arguments.refuse(n < 1 || n > MAX_SIZE, "batch size must be in [1, %d], was %d", MAX_SIZE, n);
    }

    static <T> Collation<T> of(int n, Schema<T> schema) {
        return new Collation<>(n, new Rows.Single<>(schema), Remainder.KEEP, Map.of(), false, false, null);
    }

    static <T> Collation<Group<T>> ofGroups(Schema<T> schema) {
        return new Collation<Group<T>>(1, new Rows.Grouped<>(schema), Remainder.KEEP, Map.of(), false, false, null)
                .padShapes();
    }

    /** How each sample becomes a row, for batches by length. */
    Schema<T> schema() {
        if (rows instanceof Rows.Single<T> single) {
            return single.schema();
        }
        throw new IllegalArgumentException("batches of groups have no buckets: their groups are planned by length");
    }

    Collation<T> remainder(Remainder other) {
        return new Collation<>(n, rows, other, forms, padded, indexed, buckets);
    }

    Collation<T> form(RowForm form, String... fields) {
        Map<String, RowForm> all = new LinkedHashMap<>(forms);
        for (String field : fields) {
            if (!rows.names().contains(field)) {
                throw new IllegalArgumentException(
                        "there is no field \"%s\" to batch as %s; there are %s".formatted(field, form, rows.names()));
            }
            RowForm before = all.put(field, form);
            if (before != null && before != form) {
                throw new IllegalArgumentException(
                        "field \"%s\" is batched as %s or as %s, not both".formatted(field, before, form));
            }
        }
        return new Collation<>(n, rows, remainder, Collections.unmodifiableMap(all), padded, indexed, buckets);
    }

    Collation<T> padShapes() {
        List<String> names = rows.names();
        for (String name : names) {
            List<String> added = Slot.added(name);
            if (!Collections.disjoint(names, added)) {
                throw new IllegalArgumentException(
                        "padding adds \"%s\" and \"%s\", but there is a field of that name; rename it: %s"
                                .formatted(added.get(0), added.get(1), names));
            }
        }
        return new Collation<>(n, rows, remainder, forms, true, indexed, buckets);
    }

    /** @throws IllegalArgumentException if these are batches of groups */
    Collation<T> buckets(Buckets<T> other) {
        Objects.requireNonNull(schema(), "schema");
        return new Collation<>(n, rows, remainder, forms, true, indexed, other).padShapes();
    }

    /** How many unfinished batches have a slot, which a ring needs beside those of complete batches. */
    int unfinished() {
        return buckets == null ? 0 : buckets.count();
    }

    Slot slot(Memory memory) {
        return Slot.of(memory, padded);
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
                        names(),
                        remainder.name().toLowerCase(Locale.ROOT),
                        buckets != null ? ", " + buckets : padded ? ", padded" : "");
    }
}
