package io.penstock.bench;

import io.penstock.pipeline.Dataset;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** Samples as from a distant source: each comes late, by a timer that blocks no thread. */
public final class LateDataset {

    private LateDataset() {}

    public static <T> Dataset<T> of(Dataset<T> samples, Duration latency) {
        return Dataset.wrapping(samples, index -> Mono.delay(latency).then(samples.get(index)));
    }
}
