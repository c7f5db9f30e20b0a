package io.penstock.peers;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.bench.Seconds;
import io.penstock.bench.experiment.TrainingStep;
import io.penstock.cache.Tier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.records.RecordFiles;
import io.penstock.tensor.Tensor;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** What caches and loaders do: epochs of samples of one length, each of which begins with its index. */
record Work(MeasuredEpoch epoch) {

    private static final long SPARE = 64L << 20;

    /** Bytes that a cache of all samples may take. */
    long room() {
        return samples() * (sampleBytes() + 512L) * 2 + SPARE;
    }

    private byte[] sample(int index) {
        return epoch.records().get(index).blockOptional().orElseThrow().toByteArray();
    }

    void write(Path file) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
            for (int i = 0; i < samples(); i++) {
                out.write(sample(i));
            }
        }
    }

    /**
     * Seconds of each epoch: the first writes all values into a store, in order; the others read them, shuffled, into
     * batches.
     */
    double[] seconds(SampleStore store, int epochs) throws Exception {
        double[] seconds = new double[epochs];
        ByteBuffer value = ByteBuffer.allocateDirect(sampleBytes()).put(sample(0));
        long began = System.nanoTime();
        for (int i = 0; i < samples(); i++) {
            store.put(i, value.clear().putInt(0, i));
        }
        store.settle();
        seconds[0] = Seconds.since(began);
        for (int epoch = 1; epoch < epochs; epoch++) {
            seconds[epoch] = read(store, epoch);
        }
        return seconds;
    }

    private double read(SampleStore store, long seed) throws Exception {
        ByteBuffer into = ByteBuffer.allocateDirect(epoch.batch() * sampleBytes());
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, samples()).boxed().toList());
        Collections.shuffle(order, new Random(seed));
        int at = 0;
        long began = System.nanoTime();
        for (int index : order) {
            store.read(index, into, at);
            if (into.getInt(at) != index) {
                throw new IllegalStateException("a store gives another value for " + index);
            }
            at = (at + sampleBytes()) % into.capacity();
        }
        return Seconds.since(began);
    }

    Dataset<Tensor> records(Path data) {
        return RecordFiles.open(data, sampleBytes());
    }

    double[] seconds(Tier tier, Path data, int epochs) {
        return seconds(records(data).cache(tier, TrainingStep.SCHEMA), epochs);
    }

    /** Seconds of each epoch of our pipeline: shuffled, batched. One stream runs all. */
    double[] seconds(Dataset<Tensor> records, int epochs) {
        long[] ends = new long[epochs];
        long began = System.nanoTime();
        records.stream(Sampler.shuffled(1).epochs(epochs))
                .transform(Batches.of(epoch.batch(), TrainingStep.SCHEMA))
                .doOnNext(Batch::close)
                .filter(Batch::endsEpoch)
                .doOnNext(last -> ends[(int) last.epoch()] = System.nanoTime())
                .blockLast();
        double[] seconds = new double[epochs];
        Arrays.setAll(seconds, epoch -> (ends[epoch] - (epoch == 0 ? began : ends[epoch - 1])) / 1e9);
        return seconds;
    }

    int samples() {
        return epoch.samples();
    }

    int sampleBytes() {
        return epoch.sampleBytes();
    }

    @Override
    public String toString() {
        return epoch.kilobytes();
    }
}
