package io.penstock.cli.show;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import reactor.core.publisher.Mono;

/** A single value as a source of one sample: an array without axes has no rows. */
record OneTensor(Mono<Tensor> value) implements Dataset<Tensor> {

    @Override
    public long size() {
        return 1;
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of("one value");
    }

    @Override
    public Mono<Tensor> get(long index) {
        return value;
    }
}
