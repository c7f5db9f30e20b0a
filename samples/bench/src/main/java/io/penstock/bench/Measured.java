package io.penstock.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;

/** Repeated measurements: the values of a series at a place, in the order of the rounds. Not thread-safe. */
public final class Measured {

    private final Map<String, SortedMap<Double, List<Double>>> series = new HashMap<>();

    public void add(String name, double x, double value) {
        series.computeIfAbsent(name, first -> new TreeMap<>())
                .computeIfAbsent(x, first -> new ArrayList<>())
                .add(value);
    }

    /** Forgets what was measured while the code was being compiled. */
    public void clear() {
        series.clear();
    }

    private SortedMap<Double, List<Double>> of(String name) {
        SortedMap<Double, List<Double>> places = series.get(name);
        if (places == null) {
            throw new IllegalArgumentException("nothing was measured of \"%s\"".formatted(name));
        }
        return places;
    }

    public List<Double> places(String name) {
        return List.copyOf(of(name).keySet());
    }

    /**
     * The values at one place, by round.
     * @throws IllegalArgumentException if there is no such place
     */
    public double[] values(String name, double x) {
        List<Double> values = of(name).get(x);
        if (values == null) {
            throw new IllegalArgumentException("nothing was measured of \"%s\" at %s".formatted(name, x));
        }
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    public double median(String name, double x) {
        return Rounds.quantile(values(name, x), 0.5);
    }

    /** The median of the ratios of two series at a place, formed within a round. */
    public double ratio(String name, String to, double x) {
        return Rounds.quantile(Rounds.ratios(values(name, x), values(to, x)), 0.5);
    }

    /** A line of a chart, over the places of the series. */
    public Chart.Line line(String title, String name) {
        return line(title, name, x -> x);
    }

    /** A line of a chart, over other places than those of the series. */
    public Chart.Line line(String title, String name, DoubleUnaryOperator place) {
        return new Chart.Line(
                title,
                Chart.Kind.MEASURED,
                places(name).stream()
                        .map(x -> Chart.Dot.of(place.applyAsDouble(x), values(name, x)))
                        .toList());
    }
}
