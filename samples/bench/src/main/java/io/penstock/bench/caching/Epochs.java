package io.penstock.bench.caching;

import io.penstock.bench.Effort;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Experiment;

/** Bagua's experiment: how long each epoch takes with a cache and without. */
public final class Epochs implements Experiment {

    private static final int SAMPLES = 3840;
    private static final int QUICK_SAMPLES = 320;

    /**
     * How much to do.
     *
     * @param samples of an epoch
     * @param epochs  of a run
     * @param rounds  of repetitions
     */
    record Size(int samples, int epochs, int rounds) {}

    @Override
    public String name() {
        return "epochs";
    }

    @Override
    public String about() {
        return "Time of each epoch with a cache and without";
    }

    @Override
    public Course course(Effort effort) {
        return course(effort, effort.quick() ? new Size(QUICK_SAMPLES, 3, 3) : new Size(SAMPLES, 4, 7));
    }

    Course course(Effort effort, Size size) {
        return new EpochsCourse(name(), Pictures.of(effort, size.samples()), size);
    }
}
