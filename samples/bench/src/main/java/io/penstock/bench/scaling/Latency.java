package io.penstock.bench.scaling;

import io.penstock.bench.Effort;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Experiment;
import java.util.List;

/** What BiLevelCache planned and never measured: how long a hit and a miss of each tier take, and what an epoch gains. */
public final class Latency implements Experiment {

    private static final int SMALL = 1024;
    private static final int LARGE = 150_528;

    /**
     * Samples of one size.
     *
     * @param samples     of the data set
     * @param sampleBytes of each
     * @param batch       of an epoch
     */
    record Work(int samples, int sampleBytes, int batch) {
        @Override
        public String toString() {
            return sampleBytes < 10_000 ? sampleBytes / 1024 + " KiB" : sampleBytes / 1000 + " KB";
        }
    }

    /**
     * How much to do.
     *
     * @param works  one for each size of samples
     * @param rounds of repetitions
     */
    record Size(List<Work> works, int rounds) {}

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String about() {
        return "How long a hit and a miss of each tier take, and an epoch by them";
    }

    @Override
    public Course course(Effort effort) {
        return course(new Size(
                List.of(new Work(effort.of(20_000, 4_000), SMALL, 256), new Work(effort.of(3_000, 1_000), LARGE, 64)),
                effort.of(9, 3)));
    }

    Course course(Size size) {
        return new LatencyCourse(name(), size);
    }
}
