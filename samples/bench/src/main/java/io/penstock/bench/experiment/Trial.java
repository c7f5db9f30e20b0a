package io.penstock.bench.experiment;

import java.util.List;
import java.util.function.IntFunction;

/**
 * What an experiment measures once a round.
 *
 * @param name unique within the experiment
 * @param run  measures; its argument is the round, counted from 0
 */
public record Trial(String name, IntFunction<List<Measurement>> run) {

    public Trial {
        Measurement.checkWord(name);
    }
}
