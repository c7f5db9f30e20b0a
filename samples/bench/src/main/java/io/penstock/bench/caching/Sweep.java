package io.penstock.bench.caching;

import io.penstock.bench.Effort;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Experiment;
import java.util.List;

/** stocaching's experiment: how long an epoch takes by how much of the data is cached. */
public final class Sweep implements Experiment {

    /** So many that the first batch and the last step, for which theory has no time, are a small part of an epoch. */
    private static final int SAMPLES = 5120;

    private static final int QUICK_SAMPLES = 256;
    private static final List<Integer> SHARES = List.of(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100);
    private static final List<Integer> QUICK_SHARES = List.of(0, 25, 50, 75, 100);

    /**
     * How much to do.
     *
     * @param samples of an epoch
     * @param shares  cached of them, in percent, from 0 to 100
     * @param rounds  of repetitions
     */
    record Size(int samples, List<Integer> shares, int rounds) {}

    @Override
    public String name() {
        return "sweep";
    }

    @Override
    public String about() {
        return "Epoch time by the share of the data that is cached";
    }

    @Override
    public Course course(Effort effort) {
        return course(effort, effort.quick() ? new Size(QUICK_SAMPLES, QUICK_SHARES, 3) : new Size(SAMPLES, SHARES, 5));
    }

    Course course(Effort effort, Size size) {
        return new SweepCourse(name(), Pictures.of(effort, size.samples()), size);
    }
}
