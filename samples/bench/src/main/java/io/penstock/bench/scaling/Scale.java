package io.penstock.bench.scaling;

import io.penstock.bench.Effort;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Experiment;
import java.util.List;

/** What grows with the data and with the ranks. */
public final class Scale implements Experiment {

    private static final List<Long> SAMPLES =
            List.of(1_000L, 10_000L, 100_000L, 1_000_000L, 10_000_000L, 100_000_000L, 1_000_000_000L);

    /**
     * How much to do.
     *
     * @param samples     of the data sets that draws are of
     * @param draws       of each
     * @param mostIndexed of the samples that are really put into an index
     * @param ranks       that run at once
     * @param load        of the ranks
     * @param rounds      of repetitions
     */
    record Size(List<Long> samples, int draws, long mostIndexed, List<Integer> ranks, Ranks.Load load, int rounds) {}

    @Override
    public String name() {
        return "scale";
    }

    @Override
    public String about() {
        return "What more samples and more ranks cost";
    }

    @Override
    public Course course(Effort effort) {
        return course(
                effort.quick()
                        ? new Size(
                                SAMPLES, 200_000, 100_000, List.of(1, 2, 4), new Ranks.Load(640, 150_528, 64, 3, 5), 3)
                        : new Size(
                                SAMPLES,
                                2_000_000,
                                10_000_000,
                                List.of(1, 2, 3, 4, 6, 8),
                                new Ranks.Load(2_560, 150_528, 64, 8, 24),
                                5));
    }

    Course course(Size size) {
        return new ScaleCourse(name(), size);
    }
}
