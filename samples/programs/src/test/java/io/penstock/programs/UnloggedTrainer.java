package io.penstock.programs;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.records.RecordFiles;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.scheduler.Schedulers;

/** Does three things that a stream survives and that cost its user something. It has no logger. */
public final class UnloggedTrainer {

    private static final Schema<Tensor> SCHEMA = Schema.tensor("bytes");

    private UnloggedTrainer() {}

    /** Arguments: a folder with {@code records} of one byte, and {@code cache}, which takes nothing. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        Dataset<Tensor> records = RecordFiles.open(folder.resolve("records"), 1);
        Sampler order = Sampler.sequential();

        try (ChronicleTier tier = ChronicleTier.at(folder.resolve("cache")).open()) {
            records.cache(tier, SCHEMA).stream(order).blockLast();
        }

        records
                .map("refuse 3", record -> {
                    if (record.longAt(0) == 3) {
                        throw new IllegalStateException("3 is refused");
                    }
                    return record;
                })
                .onError(ErrorPolicy.skip())
                .stream(order)
                .blockLast();

        records.stream(order)
                .transform(Batches.of(1, SCHEMA))
                .publishOn(Schedulers.boundedElastic(), 1)
                .subscribe(new BaseSubscriber<Batch>() {}); // keeps them all
        new Semaphore(0).acquireUninterruptibly(); // until it is killed
    }
}
