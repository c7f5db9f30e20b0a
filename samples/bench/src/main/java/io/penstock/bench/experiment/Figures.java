package io.penstock.bench.experiment;

import io.penstock.bench.Benchmark;
import io.penstock.bench.Effort;
import io.penstock.bench.Finding;
import io.penstock.bench.Leftovers;
import io.penstock.bench.ScratchFolder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An experiment as a benchmark that leaves files: its measurements, charts and page. */
public final class Figures implements Benchmark {

    /** Where files go unless something else was said. */
    public static final Path FOLDER = Path.of("figures");

    private final Experiment experiment;

    public Figures(Experiment experiment) {
        this.experiment = experiment;
    }

    @Override
    public String name() {
        return experiment.name();
    }

    @Override
    public String about() {
        return experiment.about();
    }

    @Override
    public List<String> flags() {
        return Leftovers.FLAGS;
    }

    @Override
    public boolean leavesFiles() {
        return true;
    }

    /** Measures what is not measured yet, then draws all of it anew. */
    @Override
    public List<Finding> run(Effort effort) {
        Path out = effort.out() == null ? FOLDER : effort.out();
        Course course = experiment.course(effort);
        Map<String, String> conditions = new LinkedHashMap<>(Machine.described());
        conditions.putAll(course.settings());
        conditions.put("rounds", Integer.toString(course.rounds()));
        Journal journal = Journal.open(out.resolve(name() + ".measurements.csv"), conditions);
        measure(course, journal, effort);
        Results results = journal.results();
        List<Finding> findings = course.findings(results);
        new Report(
                        name(),
                        command(effort),
                        about(),
                        course.explained(),
                        conditions,
                        results,
                        course.charts(results),
                        findings)
                .write(out);
        return findings;
    }

    private void measure(Course course, Journal journal, Effort effort) {
        List<Trial> trials = course.trials();
        Advance advance = new Advance(name(), course.rounds() * trials.size(), effort.progress());
        for (int round = 0; round < course.rounds(); round++) {
            for (Trial trial : trials) {
                if (journal.results().has(trial.name(), round)) {
                    advance.skip();
                }
            }
        }
        if (advance.isDone()) {
            return;
        }
        ScratchFolder.with(folder -> {
            try (course) {
                course.prepare(folder, effort.progress());
                effort.progress().accept(name() + ": warming up");
                course.warmUp();
                advance.begin();
                takeTurns(course, trials, journal, advance);
            }
            return folder;
        });
    }

    private static void takeTurns(Course course, List<Trial> trials, Journal journal, Advance advance) {
        for (int round = 0; round < course.rounds(); round++) {
            for (Trial trial : trials) {
                if (!journal.results().has(trial.name(), round)) {
                    advance.show("round %d of %d: %s".formatted(round + 1, course.rounds(), trial.name()));
                    Leftovers.clear();
                    journal.add(trial.name(), round, trial.run().apply(round));
                    advance.did();
                }
            }
        }
    }

    private String command(Effort effort) {
        return "./penstock bench " + name() + (effort.quick() ? " --quick" : "")
                + (effort.pictures() == null ? "" : " --data DIR");
    }
}
