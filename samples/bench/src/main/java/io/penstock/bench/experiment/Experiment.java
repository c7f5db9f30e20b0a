package io.penstock.bench.experiment;

import io.penstock.bench.Result;
import io.penstock.bench.ScratchFolder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One experiment at one size: trials to measure, and charts and results of what was measured. */
public abstract class Experiment implements AutoCloseable {

    /** How to read the charts of repetitions, for {@link #explained}. */
    protected static final String MARKERS = "Markers are medians, strokes through them span all repetitions.";

    private final int rounds;
    private @Nullable Path scratch;

    /** @param rounds how often each trial runs */
    protected Experiment(int rounds) {
        this.rounds = rounds;
    }

    public final int rounds() {
        return rounds;
    }

    /** The chosen sizes in words. Measurements under other settings are not comparable. */
    public abstract Map<String, String> settings();

    /** Settings in this order: each one's name, then what it is. */
    protected static Map<String, String> words(String... pairs) {
        Map<String, String> words = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            words.put(pairs[i], pairs[i + 1]);
        }
        return words;
    }

    /** The method and the theory, in sentences for the page. */
    public abstract List<String> explained();

    /** The trials of a round. */
    public abstract List<Trial> trials();

    /**
     * Called before the first trial, unless all trials are measured already.
     * @param folder that exists until {@link #close}
     */
    public final void begin(Path folder, Consumer<String> progress) {
        scratch = folder;
        prepare(folder, progress);
    }

    /** Makes what the trials need. */
    protected void prepare(Path folder, Consumer<String> progress) {}

    /** Runs with a folder that does not exist yet, and deletes it. */
    protected final <R> R inFolder(Function<Path, R> work) {
        Path folder = Objects.requireNonNull(scratch, "begun").resolve("trial");
        try {
            return work.apply(folder);
        } finally {
            ScratchFolder.delete(folder);
        }
    }

    /** Called once after {@link #begin}: runs the measured code until it is compiled. */
    public void warmUp() {}

    /** The charts of all rounds of all trials. */
    public abstract List<Chart> charts(Measurements measurements);

    /** The measurements beside what was promised. */
    public abstract List<Result> results(Measurements measurements);

    /** Called once after {@link #begin}. */
    @Override
    public void close() {}
}
