package io.penstock.batch;

import io.penstock.pipeline.Group;
import io.penstock.tensor.Schema;
import java.util.List;

/** What samples add to a batch: a row each, or one for each sample of a group. */
sealed interface Rows<T> {

    /** What makes a sample a row. */
    Schema<?> schema();

    /** The names of the fields. */
    default List<String> names() {
        return schema().names();
    }

    /** Adds the rows of the sample of an index. */
    void add(Slot slot, long index, T sample);

    /** One row a sample. */
    record Single<T>(Schema<T> schema) implements Rows<T> {

        @Override
        public void add(Slot slot, long index, T sample) {
            slot.add(index, schema.flatten(sample));
        }
    }

    /** The rows of a group. */
    record Grouped<T>(Schema<T> schema) implements Rows<Group<T>> {

        @Override
        public void add(Slot slot, long index, Group<T> group) {
            for (T sample : group.samples()) {
                slot.add(index, schema.flatten(sample));
            }
        }
    }
}
