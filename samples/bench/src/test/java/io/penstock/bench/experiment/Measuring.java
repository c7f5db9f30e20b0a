package io.penstock.bench.experiment;

import java.nio.file.Path;

/** Runs every round of an experiment, and keeps only the measurements. */
public final class Measuring {

    private Measuring() {}

    public static Measurements run(Experiment experiment, Path scratch) {
        Measurements measurements = new Measurements();
        experiment.begin(scratch, text -> {});
        for (int round = 0; round < experiment.rounds(); round++) {
            for (Trial trial : experiment.trials()) {
                measurements.add(trial.name(), round, trial.run().apply(round));
            }
        }
        return measurements;
    }
}
