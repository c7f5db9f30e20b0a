package io.penstock.peers;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.experiment.TrainingStep;
import io.penstock.cache.Tier;
import io.penstock.order.Sampler;
import io.penstock.records.RecordFiles;
import java.nio.file.Path;

/**
 * Our pipeline: records of a file, cached, shuffled, batched. One stream runs all epochs.
 *
 * @param tier that caches
 * @param load of the epochs
 * @param data the file
 */
record PipelinePeer(Tier tier, PeerLoad load, Path data) implements Peer {

    @Override
    public double[] seconds(int epochs) {
        long[] ends = new long[epochs];
        long began = System.nanoTime();
        RecordFiles.open(data, load.sampleBytes()).cache(tier, TrainingStep.SCHEMA).stream(
                        Sampler.shuffled(1).epochs(epochs))
                .transform(Batches.of(load.batch(), TrainingStep.SCHEMA))
                .doOnNext(batch -> take(batch, ends))
                .blockLast();
        double[] seconds = new double[epochs];
        for (int epoch = 0; epoch < epochs; epoch++) {
            seconds[epoch] = (ends[epoch] - (epoch == 0 ? began : ends[epoch - 1])) / 1e9;
        }
        return seconds;
    }

    private static void take(Batch batch, long[] ends) {
        try (batch) {
            if (batch.endsEpoch()) {
                ends[(int) batch.epoch()] = System.nanoTime();
            }
        }
    }

    @Override
    public void close() {
        tier.close();
    }
}
