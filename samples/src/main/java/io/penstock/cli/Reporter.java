package io.penstock.cli;

/** Where reports go: lines of JSON for programs, a table for people. Called from one thread at a time. */
interface Reporter {

    void epoch(EpochReport report);

    /** Told of every batch; only programs want to know. */
    default void batch(BatchReport report) {}

    /** How fast the consumer is alone, beside a run that took so many seconds for so many samples. */
    void headroom(Headroom.Report report, String consumer);

    void done(RunReport report);
}
