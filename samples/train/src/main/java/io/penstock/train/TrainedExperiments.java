package io.penstock.train;

import io.penstock.bench.Bench;
import io.penstock.bench.Benchmark;
import io.penstock.bench.experiment.Epochs;
import io.penstock.bench.experiment.Sweep;
import io.penstock.bench.experiment.TrainingStep;
import java.util.List;
import java.util.function.BiConsumer;

/** The experiments whose step waits on a timer, with one that trains: the service loader makes one. */
public final class TrainedExperiments implements Benchmark.Added {

    @Override
    public List<Benchmark> benchmarks() {
        return List.of(
                Benchmark.experiment("train-epochs", "epochs, training a network", bench -> run(bench, Epochs::run)),
                Benchmark.experiment("train-sweep", "sweep, training a network", bench -> run(bench, Sweep::run)));
    }

    private static void run(Bench bench, BiConsumer<Bench, TrainingStep> experiment) {
        try (PictureCoder coder = new PictureCoder()) {
            experiment.accept(bench, new TrainingStep(TrainingStep.BATCH, coder::learn));
            bench.found("loss of the first step", coder.firstLoss(), "");
            bench.found("loss of the last step", coder.lastLoss(), "");
        }
    }
}
