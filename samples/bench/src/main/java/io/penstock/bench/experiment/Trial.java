package io.penstock.bench.experiment;

import java.util.List;
import java.util.function.IntFunction;

/**
 * Something to measure once a round.
 *
 * @param name of its own within the experiment
 * @param run  measures; given the round, counted from 0
 */
public record Trial(String name, IntFunction<List<Measured>> run) {

    public Trial {
        Measured.checkWord(name);
    }
}
