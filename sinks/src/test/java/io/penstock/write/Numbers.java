package io.penstock.write;

import io.penstock.batch.MadeDataset;
import io.penstock.tensor.Tensor;
import reactor.core.publisher.Mono;

/** Datasets of the numbers i and -i. */
final class Numbers {

    private Numbers() {}

    static MadeDataset<Tensor> of(long size) {
        return of(size, -1);
    }

    /** @param broken a sample that cannot be loaded */
    static MadeDataset<Tensor> of(long size, long broken) {
        return new MadeDataset<>(
                "numbers",
                size,
                index -> index == broken
                        ? Mono.error(new IllegalStateException("broken"))
                        : Mono.just(Tensor.ofLongs(new long[] {index, -index})));
    }
}
