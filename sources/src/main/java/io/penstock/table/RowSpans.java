package io.penstock.table;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Group;
import io.penstock.pipeline.Grouping;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * Groups of rows that follow one another.
 *
 * @param rows   of which groups are made
 * @param size   the number of groups
 * @param step   from the first row of a group to that of the next
 * @param before how many rows before that one are in a group besides, where they are
 * @param length the rows from that one on, where they are
 */
record RowSpans(String noun, long rows, long size, int step, int before, int length) implements Grouping {

    private long first(long group) {
        return Math.max(0, group * step - before);
    }

    private long end(long group) {
        return Math.min(rows, group * step + length);
    }

    @Override
    public long[] members(long group) {
        return LongStream.range(first(group), end(group)).toArray();
    }

    /** The groups of some rows; those of a table are loaded as one, which takes less than half the time. */
    Dataset<Group<Row>> of(Dataset<Row> rows) {
        Dataset<Group<Row>> groups = rows.group(this);
        return rows instanceof Table table
                ? Dataset.wrapping(groups, group -> {
                    Objects.checkIndex(group, size);
                    return table.rows(first(group), end(group)).map(each -> new Group<>(group, each));
                })
                : groups;
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of(toString());
    }

    @Override
    public String toString() {
        return "%s of %d rows".formatted(noun, length);
    }
}
