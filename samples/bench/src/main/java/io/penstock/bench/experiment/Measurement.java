package io.penstock.bench.experiment;

/**
 * One value that a trial measured.
 *
 * @param figure the quantity, with its unit: {@code epoch time [s]}
 * @param series the line of a chart
 * @param x      the place on the line
 * @param value  in the unit of the figure
 */
public record Measurement(String figure, String series, double x, double value) {

    public Measurement {
        checkWord(figure);
        checkWord(series);
        if (!Double.isFinite(x) || !Double.isFinite(value)) {
            throw new IllegalArgumentException("%s of \"%s\" must be finite, was %s at %s"
                    .formatted(figure, series, Double.toString(value), Double.toString(x)));
        }
    }

    /** Comma-separated files have no quotes here. */
    static void checkWord(String word) {
        if (word.isBlank() || word.chars().anyMatch(c -> c == ',' || c == '"' || c < ' ')) {
            throw new IllegalArgumentException("a name must have no comma, quote or line break: " + word);
        }
    }
}
