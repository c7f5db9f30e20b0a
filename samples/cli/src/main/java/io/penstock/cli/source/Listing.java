package io.penstock.cli.source;

import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;

/**
 * What a source knows of its samples without loading them.
 *
 * @param label the class of an index
 * @param bytes the length of its file, -1 where it is not known
 */
public record Listing(LongFunction<String> label, LongUnaryOperator bytes) {

    /** Of the samples at some places. */
    Listing at(int... places) {
        return new Listing(index -> label.apply(places[(int) index]), index -> bytes.applyAsLong(places[(int) index]));
    }
}
