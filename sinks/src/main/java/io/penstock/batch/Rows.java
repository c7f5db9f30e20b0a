package io.penstock.batch;

import io.penstock.batch.internal.Slot;
import io.penstock.pipeline.Group;
import io.penstock.tensor.Schema;
import java.util.List;

/** What samples add to a batch: a row each, or one for each sample of a group. */
sealed interface Rows<T> {

    Schema<?> schema();

    default List<String> names() {
        return schema().names();
    }

    /** Adds the rows of the sample of an index. */
    void add(Slot slot, long index, T sample);

    record Single<T>(Schema<T> schema) implements Rows<T> {

        @Override
        public void add(Slot slot, long index, T sample) {
            slot.add(index, schema.flatten(sample));
        }
    }

    record Grouped<T>(Schema<T> schema) implements Rows<Group<T>> {

        @Override
        public void add(Slot slot, long index, Group<T> group) {
            for (T sample : group.samples()) {
                slot.add(index, schema.flatten(sample));
            }
        }
    }
}
