package io.penstock.bench.caching;

import io.penstock.bench.Effort;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Experiment;
import java.util.List;

/** How often a cache hits, by what it does when it is full and by how much of the data it has room for. */
public final class Policies implements Experiment {

    private static final int SAMPLES = 20_000;
    private static final int QUICK_SAMPLES = 4_000;
    private static final List<Integer> SHARES = List.of(5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95);
    private static final List<Integer> QUICK_SHARES = List.of(10, 30, 50, 70, 90);

    /**
     * How much to do.
     *
     * @param samples of an epoch
     * @param shares  of them that there is room for, in percent
     * @param rounds  of repetitions, each with a seed of its own
     */
    record Size(int samples, List<Integer> shares, int rounds) {}

    @Override
    public String name() {
        return "policies";
    }

    @Override
    public String about() {
        return "Hit ratio by policy and capacity";
    }

    @Override
    public Course course(Effort effort) {
        return course(effort.quick() ? new Size(QUICK_SAMPLES, QUICK_SHARES, 3) : new Size(SAMPLES, SHARES, 5));
    }

    Course course(Size size) {
        return new PoliciesCourse(name(), size);
    }
}
