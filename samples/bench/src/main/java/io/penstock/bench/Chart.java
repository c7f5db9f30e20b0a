package io.penstock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

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
     * @param title       with the unit
     * @param logarithmic whether powers of ten are equally far apart
     * @param places      how many places 1, 2, 3… there are; 0 for an axis of numbers
     */
    public record Axis(String title, boolean logarithmic, int places) {

        public static Axis linear(String title) {
            return new Axis(title, false, 0);
        }

        public static Axis logarithmic(String title) {
            return new Axis(title, true, 0);
        }

        /** Whole numbers from 1 to {@code max}. */
        public static Axis counted(String title, int max) {
            return new Axis(title, false, max);
        }

        /** Places 1, 2, 3…, the names of which stand in the title. */
        public static Axis named(String title, List<String> names) {
            List<String> words = new ArrayList<>();
            names.forEach(name -> words.add((words.size() + 1) + " " + name));
            return counted(title + ": " + String.join(" · ", words), names.size());
        }
    }

    public enum Kind {
        MEASURED,
        /** Measured at places without anything in between. */
        APART,
        THEORY
    }

    public record Line(String name, Kind kind, List<Dot> dots) {

        public Line {
            dots = List.copyOf(dots);
        }

        /** The same without strokes from dot to dot. */
        public Line apart() {
            return new Line(name, Kind.APART, dots);
        }

        /** What theory says at these places. */
        public static Line theory(String name, IntStream places, DoubleUnaryOperator theory) {
            return new Line(
                    name,
                    Kind.THEORY,
                    places.mapToObj(x -> Dot.of(x, theory.applyAsDouble(x))).toList());
        }
    }

    /** A place on a line, and the repetitions there. */
    public record Dot(double x, double median, double min, double max) {

        public static Dot of(double x, double... values) {
            return new Dot(x, Rounds.quantile(values, 0.5), Rounds.quantile(values, 0), Rounds.quantile(values, 1));
        }
    }
}
