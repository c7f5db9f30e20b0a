package io.penstock.bench.experiment;

import io.penstock.bench.Result;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One experiment at one size: trials to measure, and charts and results of what was measured. */
public interface Experiment extends AutoCloseable {

    /** How to read the charts of repetitions, for {@link #explained}. */
    String MARKERS = "Markers are medians, strokes through them span all repetitions.";

    /** The chosen sizes in words. Measurements under other settings are not comparable. */
    Map<String, String> settings();

    /** Settings in this order: each one's name, then what it is. */
    static Map<String, String> words(String... pairs) {
        Map<String, String> words = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            words.put(pairs[i], pairs[i + 1]);
        }
        return words;
    }

    /** The method and the theory, in sentences for the page. */
    List<String> explained();

    /** How often each trial runs. */
    int rounds();

    /** The trials of a round. */
    List<Trial> trials();

    /**
     * Called before the first trial, unless all trials are measured already.
     * @param scratch a folder that exists until {@link #close}
     */
    default void prepare(Path scratch, Consumer<String> progress) {}

    /** Called once after {@link #prepare}: runs the measured code until it is compiled. */
    default void warmUp() {}

    /** The charts of all rounds of all trials. */
    List<Chart> charts(Measurements measurements);

    /** The measurements beside what was promised. */
    List<Result> results(Measurements measurements);

    /** Called once after {@link #prepare}. */
    @Override
    default void close() {}
}
