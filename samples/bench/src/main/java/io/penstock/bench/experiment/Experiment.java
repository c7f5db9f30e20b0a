package io.penstock.bench.experiment;

import io.penstock.bench.Effort;

/** An experiment: a question, and trials that answer it. */
public interface Experiment {

    /** What the command line calls it, and how its files begin. */
    String name();

    /** What it measures, in half a line. */
    String about();

    /** What is to be done; prepares nothing yet. */
    Course course(Effort effort);
}
