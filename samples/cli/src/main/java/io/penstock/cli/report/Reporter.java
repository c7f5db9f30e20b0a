package io.penstock.cli.report;

import java.util.Map;

/** Where reports go: lines of JSON for programs, a table for people. Called from one thread at a time. */
public interface Reporter {

    /** Told at the start of the classes of the samples and how many each has; of none where they have no known ones. */
    default void started(Map<String, Integer> classes) {}

    void epoch(EpochReport report);

    /** Told of every batch; only programs want to know. */
    default void batch(BatchReport report) {}

    /** How fast the consumer is alone, beside a run that took the given number of seconds for the given number of samples. */
    void headroom(Headroom.Report report, String consumer);

    void done(RunReport report);
}
