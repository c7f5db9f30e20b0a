package io.penstock.bench.caching;

import io.penstock.bench.Effort;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Experiment;
import java.util.List;

/** DataCache's experiment: near and far files, with a cache and without, by one worker and by several. */
public final class NearFar implements Experiment {

    /**
     * How much to do.
     *
     * @param samples of an epoch
     * @param epochs  of a run
     * @param workers of each kind of run
     * @param rounds  of repetitions
     */
    record Size(int samples, int epochs, List<Integer> workers, int rounds) {}

    @Override
    public String name() {
        return "near-far";
    }

    @Override
    public String about() {
        return "Epoch times of near and far files, with a cache and without, by 1 and 4 workers";
    }

    @Override
    public Course course(Effort effort) {
        List<Integer> workers = List.of(1, 4);
        return course(effort, effort.quick() ? new Size(96, 3, workers, 3) : new Size(320, 4, workers, 5));
    }

    Course course(Effort effort, Size size) {
        return new NearFarCourse(name(), Pictures.of(effort, size.samples()), size);
    }
}
