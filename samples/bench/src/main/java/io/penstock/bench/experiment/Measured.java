package io.penstock.bench.experiment;

/**
 * A value that a trial found.
 *
 * @param figure what it is: {@code seconds}
 * @param series of which line of a chart
 * @param x      where on it
 * @param value  the value
 */
public record Measured(String figure, String series, double x, double value) {

    public Measured {
        checkWord(figure);
        checkWord(series);
        if (!Double.isFinite(x) || !Double.isFinite(value)) {
            throw new IllegalArgumentException("%s of \"%s\" must be finite, was %s at %s"
                    .formatted(figure, series, Double.toString(value), Double.toString(x)));
        }
    }

    /** Words stand in comma-separated files as they are. */
    static void checkWord(String word) {
        if (word.isBlank() || word.chars().anyMatch(c -> c == ',' || c == '"' || c < ' ')) {
            throw new IllegalArgumentException("a name must have no comma, quote or line break: " + word);
        }
    }
}
