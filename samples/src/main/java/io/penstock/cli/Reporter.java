package io.penstock.cli;

/** Where reports go: lines of JSON for programs, a table for people. Called from one thread at a time. */
interface Reporter {

    void epoch(EpochReport report);

    void done(RunReport report);
}
