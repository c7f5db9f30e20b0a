package io.penstock.bench.experiment;

import java.util.List;

/**
 * Lines over two axes.
 *
 * @param file  what its file's name ends in
 * @param title what it shows
 * @param x     the axis along the bottom
 * @param y     the axis along the side
 * @param lines at least one
 */
public record Chart(String file, String title, Axis x, Axis y, List<Line> lines) {

    public Chart {
        lines = List.copyOf(lines);
    }

    /**
     * An axis.
     *
     * @param title with the unit
     * @param scale of it
     * @param ticks words for 1, 2, 3…, or empty where the numbers themselves are the words
     */
    public record Axis(String title, Scale scale, List<String> ticks) {

        public static Axis linear(String title) {
            return new Axis(title, Scale.LINEAR, List.of());
        }

        public static Axis logarithmic(String title) {
            return new Axis(title, Scale.LOGARITHMIC, List.of());
        }

        /** For places that are {@link #tail}s of percentiles. */
        public static Axis percentiles(String title) {
            return new Axis(title, Scale.PERCENTILES, List.of());
        }

        public static Axis named(String title, List<String> ticks) {
            return new Axis(title, Scale.LINEAR, List.copyOf(ticks));
        }

        /** Of how many one is beyond a percentile: 100 for the 99th. */
        public static double tail(double percentile) {
            return 100 / (100 - percentile);
        }

        boolean isLogarithmic() {
            return scale != Scale.LINEAR;
        }
    }

    /** How an axis stretches. */
    enum Scale {
        LINEAR,
        LOGARITHMIC,
        /** Logarithmic in what is beyond: 90, 99 and 99.9 % are equally far apart. */
        PERCENTILES
    }

    /** Whether a line was measured. */
    public enum Kind {
        MEASURED,
        /** Measured at places that have nothing in between. */
        APART,
        THEORY
    }

    /** A line, from left to right. */
    public record Line(String name, Kind kind, List<Dot> dots) {

        public Line {
            dots = List.copyOf(dots);
        }

        /** The same without strokes from dot to dot. */
        public Line apart() {
            return new Line(name, Kind.APART, dots);
        }

        public static Line theory(String name, List<Dot> dots) {
            return new Line(name, Kind.THEORY, dots);
        }
    }

    /** A place on a line. */
    public record Dot(double x, Spread y) {

        public static Dot of(double x, double y) {
            return new Dot(x, Spread.of(y));
        }
    }
}
