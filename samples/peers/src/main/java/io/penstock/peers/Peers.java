package io.penstock.peers;

import io.penstock.bench.Benchmark;
import io.penstock.bench.Effort;
import io.penstock.bench.Finding;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Figures;
import java.util.List;
import java.util.stream.Stream;

/** Other people's caches and loaders beside ours, cold and warm, in one run. */
public final class Peers implements Benchmark {

    /**
     * How much to do.
     *
     * @param loads      one for each size of samples
     * @param rehearsals before the clock counts: until six or so, the first epoch of a loader in Java is its compilation
     * @param rounds     of repetitions
     */
    record Size(List<PeerLoad> loads, int rehearsals, int rounds) {}

    /** The experiment behind it. */
    private static final class Cached implements Experiment {
        @Override
        public String name() {
            return "peers";
        }

        @Override
        public String about() {
            return "Caches and loaders of others beside ours, cold and warm";
        }

        @Override
        public Course course(Effort effort) {
            return new PeersCourse(
                    name(),
                    new Size(
                            List.of(
                                    new PeerLoad(effort.of(40_000, 10_000), 1024, 256),
                                    new PeerLoad(effort.of(3_000, 500), 150_528, 64)),
                            effort.of(6, 1),
                            effort.of(7, 3)));
        }
    }

    private static final List<String> BUFFERS =
            List.of("--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");

    private final Figures figures = new Figures(new Cached());

    @Override
    public String name() {
        return figures.name();
    }

    @Override
    public String about() {
        return figures.about();
    }

    /** LMDB reaches into the JDK's buffers. */
    @Override
    public List<String> flags() {
        return Stream.concat(figures.flags().stream(), BUFFERS.stream()).toList();
    }

    @Override
    public boolean leavesFiles() {
        return true;
    }

    @Override
    public List<Finding> run(Effort effort) {
        return figures.run(effort);
    }
}
