package io.penstock.bench.experiment;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Garbage;
import io.penstock.bench.Result;
import io.penstock.bench.ScratchFolder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** An experiment as a benchmark that leaves its measurements, charts and page in a folder. */
public class ExperimentBenchmark implements Benchmark {

    /** The folder without {@code --out}. */
    public static final Path FOLDER = Path.of("figures");

    private final String name;
    private final String title;
    private final Function<BenchOptions, Experiment> opening;

    /**
     * An experiment of this name.
     * @param title   the question in half a line
     * @param opening chooses the sizes; prepares nothing
     */
    public ExperimentBenchmark(String name, String title, Function<BenchOptions, Experiment> opening) {
        this.name = name;
        this.title = title;
        this.opening = opening;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public List<String> flags() {
        return Garbage.FLAGS;
    }

    @Override
    public final boolean leavesFiles() {
        return true;
    }

    /** Measures what is not measured yet, and draws all of it. */
    @Override
    public final List<Result> run(BenchOptions options) {
        Path out = options.out() == null ? FOLDER : options.out();
        Experiment experiment = opening.apply(options);
        Map<String, String> conditions = new LinkedHashMap<>(Machine.described());
        conditions.putAll(experiment.settings());
        conditions.put("rounds", Integer.toString(experiment.rounds()));
        Measurements measurements = Measurements.open(out.resolve(name + ".measurements.csv"), conditions);
        if (measurements.turns() < experiment.rounds() * experiment.trials().size()) {
            ScratchFolder.with(folder -> {
                try (experiment) {
                    Consumer<String> progress = words -> options.progress().accept(name + ": " + words);
                    experiment.begin(folder, progress);
                    progress.accept("warming up");
                    experiment.warmUp();
                    measure(experiment, measurements, progress);
                }
                return folder;
            });
        }
        List<Result> results = experiment.results(measurements);
        String mark = options.quick() ? " (quick run, noisy)" : "";
        List<Chart> charts = experiment.charts(measurements).stream()
                .map(chart -> chart.marked(mark))
                .toList();
        new Report(name, title + mark, command(options), experiment.explained(), conditions, results)
                .write(out, measurements, charts);
        return results;
    }

    private static void measure(Experiment experiment, Measurements measurements, Consumer<String> progress) {
        List<Trial> trials = experiment.trials();
        int total = experiment.rounds() * trials.size();
        int skipped = measurements.turns();
        long began = System.nanoTime();
        for (int round = 0; round < experiment.rounds(); round++) {
            for (Trial trial : trials) {
                if (!measurements.has(trial.name(), round)) {
                    int done = measurements.turns();
                    long each = done == skipped ? 0 : (System.nanoTime() - began) / (done - skipped);
                    progress.accept("%d %%, round %d of %d: %s%s"
                            .formatted(
                                    100 * done / total,
                                    round + 1,
                                    experiment.rounds(),
                                    trial.name(),
                                    each == 0 ? "" : ", ETA %d s".formatted(each * (total - done) / 1_000_000_000)));
                    Garbage.clear();
                    measurements.add(trial.name(), round, trial.run().apply(round));
                }
            }
        }
    }

    private String command(BenchOptions options) {
        return "./penstock bench " + name + (options.quick() ? " --quick" : "")
                + (options.pictures() == null ? "" : " --data DIR");
    }
}
