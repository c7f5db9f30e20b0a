package io.penstock.bench.experiment;

import io.penstock.bench.Finding;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One experiment at one size: its trials, and what is made of their results. */
public interface Course extends AutoCloseable {

    /** How to read the charts of repetitions, for {@link #explained}. */
    String MARKERS = "Markers are medians, strokes through them span all repetitions.";

    /** What was chosen, in words for people: results of other words are other results. */
    Map<String, String> settings();

    /** How it was measured and what the theory is, for the page: sentences. */
    List<String> explained();

    /** How often each trial is run, a round after the other, so that a machine slow for a while is so for all trials. */
    int rounds();

    /** What a round consists of. */
    List<Trial> trials();

    /**
     * Called before the first trial that is still to be run, and only then.
     * @param scratch a folder that is there until the course is closed
     */
    void prepare(Path scratch, Consumer<String> progress);

    /** Called once when all is prepared: runs what is measured until it is compiled. */
    void warmUp();

    /** What to draw; there are all rounds of all trials. */
    List<Chart> charts(Results results);

    /** What the results say of what was promised. */
    List<Finding> findings(Results results);

    /** Called once after {@link #prepare}, while the folder is still there. */
    @Override
    void close();
}
