package io.penstock.bench;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.function.LongFunction;
import reactor.core.publisher.Mono;

/**
 * The same samples as from a distant source: each comes late, by a timer that blocks no thread.
 *
 * @param latency of each index
 */
public record LateDataset(Dataset<Tensor> samples, LongFunction<Duration> latency) implements Dataset<Tensor> {

    public LateDataset(Dataset<Tensor> samples, Duration latency) {
        this(samples, index -> latency);
    }

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
        return Mono.delay(latency.apply(index)).then(samples.get(index));
    }
}
