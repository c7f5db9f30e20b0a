package io.penstock.bench.experiment;

import java.util.ArrayList;
import java.util.List;

/**
 * Lines over two axes.
 *
 * @param file  the end of its file's name
 * @param title what it shows
 * @param x     the axis along the bottom
 * @param y     the axis along the side
 * @param lines to draw
 */
public record Chart(String file, String title, Axis x, Axis y, List<Line> lines) {

    public Chart {
        lines = List.copyOf(lines);
    }

    Chart marked(String mark) {
        return new Chart(file, title + mark, x, y, lines);
    }

    /**
     * An axis.
     *
     * @param title with the unit
     * @param scale of it
     * @param named how many places 1, 2, 3… have names; 0 for an axis of numbers
     */
    public record Axis(String title, Scale scale, int named) {

        public static Axis linear(String title) {
            return new Axis(title, Scale.LINEAR, 0);
        }

        public static Axis logarithmic(String title) {
            return new Axis(title, Scale.LOGARITHMIC, 0);
        }

        /** For places that are {@link #tail}s of percentiles. */
        public static Axis percentiles(String title) {
            return new Axis(title, Scale.PERCENTILES, 0);
        }

        /** Whole numbers from 1 to {@code max}. */
        public static Axis counted(String title, int max) {
            return new Axis(title, Scale.LINEAR, max);
        }

        /** Places 1, 2, 3…, the names of which stand in the title. */
        public static Axis named(String title, List<String> names) {
            List<String> words = new ArrayList<>();
            names.forEach(name -> words.add((words.size() + 1) + " " + name));
            return counted(title + ": " + String.join(" · ", words), names.size());
        }

        /** One look-up of this many takes longer than the percentile: 100 for the 99th. */
        public static double tail(double percentile) {
            return 100 / (100 - percentile);
        }

        boolean isLogarithmic() {
            return scale != Scale.LINEAR;
        }
    }

    enum Scale {
        LINEAR,
        LOGARITHMIC,
        /** Logarithmic in the tail: 90, 99 and 99.9 % are equally far apart. */
        PERCENTILES
    }

    /** Whether a line was measured. */
    public enum Kind {
        MEASURED,
        /** Measured at places without anything in between. */
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
