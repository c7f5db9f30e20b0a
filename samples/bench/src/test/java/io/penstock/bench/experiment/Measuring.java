package io.penstock.bench.experiment;

import java.nio.file.Path;

/** Runs every round of an experiment, and keeps nothing but the results. */
public final class Measuring {

    private Measuring() {}

    public static Results run(Course course, Path scratch) {
        Results results = new Results();
        course.prepare(scratch, text -> {});
        for (int round = 0; round < course.rounds(); round++) {
            for (Trial trial : course.trials()) {
                results.add(trial.name(), round, trial.run().apply(round));
            }
        }
        return results;
    }
}
