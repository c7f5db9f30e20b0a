package io.penstock.batch;

import io.penstock.order.Position;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;

/** What is left of a batch once it is closed. The mask is empty where there was none. */
record Seen(List<Long> ids, int size, List<Boolean> mask, long epoch, Position next) {

    /** Reads a batch and closes it; checks that its other field goes with its numbers. */
    static Seen of(Batch batch) {
        try (batch) {
            long[] ids = Points.ids(batch);
            Tensor xy = batch.tensor("xy");
            for (int row = 0; row < ids.length && xy.byteSize() > 0; row++) {
                if (xy.doubleAt(2 * row) != ids[row] || xy.doubleAt(2 * row + 1) != -ids[row]) {
                    throw new AssertionError("row %d of %d has x = %s".formatted(row, ids[row], xy.doubleAt(2 * row)));
                }
            }
            return new Seen(
                    Arrays.stream(ids).boxed().toList(),
                    batch.size(),
                    batch.mask().map(Seen::bits).orElse(List.of()),
                    batch.epoch(),
                    batch.next());
        }
    }

    private static List<Boolean> bits(Tensor mask) {
        return IntStream.range(0, mask.byteSize())
                .mapToObj(row -> mask.longAt(row) != 0)
                .toList();
    }

    static List<Seen> all(Flux<Batch> batches) {
        return batches.map(Seen::of).collectList().block();
    }

    /** The numbers of the valid rows. */
    List<Long> valid() {
        return ids.subList(0, size);
    }
}
