package io.penstock.bench;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** The same samples as from a distant source: each comes late, by a timer that blocks no thread. */
public record LateDataset(Dataset<Tensor> samples, Duration latency) implements Dataset<Tensor> {

    @Override
    public long size() {
        return samples.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return samples.fingerprint();
    }

    @Override
    public SampleId id(long index) {
        return samples.id(index);
    }

    @Override
    public Mono<Tensor> get(long index) {
        return Mono.delay(latency).then(samples.get(index));
    }
}
