package io.penstock.bench.experiment;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/** What was measured, in the order in which it was. Not for use by several threads. */
public final class Results {

    /** One value, with where it came from. */
    record Row(String trial, int round, Measured measured) {}

    /** A trial's turn. */
    private record Turn(String trial, int round) {}

    private final List<Row> rows = new ArrayList<>();
    private final Set<Turn> turns = new HashSet<>();

    public void add(String trial, int round, List<Measured> found) {
        turns.add(new Turn(trial, round));
        found.forEach(measured -> rows.add(new Row(trial, round, measured)));
    }

    boolean has(String trial, int round) {
        return turns.contains(new Turn(trial, round));
    }

    List<Row> rows() {
        return List.copyOf(rows);
    }

    /** The places of a line at which something was measured, from left to right. */
    public List<Double> places(String figure, String series) {
        return rows.stream()
                .filter(row -> row.measured.figure().equals(figure)
                        && row.measured.series().equals(series))
                .map(row -> row.measured.x())
                .distinct()
                .sorted()
                .toList();
    }

    /** The values of one place, by round. */
    public double[] values(String figure, String series, double x) {
        return matching(figure, series, x).toArray();
    }

    public Spread spread(String figure, String series, double x) {
        double[] values = values(figure, series, x);
        if (values.length == 0) {
            throw new IllegalStateException("there is no %s of \"%s\" at %s".formatted(figure, series, x));
        }
        return Spread.of(values);
    }

    public double median(String figure, String series, double x) {
        return spread(figure, series, x).median();
    }

    /** A figure as a line of a chart. */
    public Chart.Line line(String name, String figure, String series) {
        return line(name, figure, series, value -> value);
    }

    /** A figure in another unit as a line of a chart. */
    public Chart.Line line(String name, String figure, String series, DoubleUnaryOperator unit) {
        List<Chart.Dot> dots = places(figure, series).stream()
                .map(x -> new Chart.Dot(
                        x, Spread.of(matching(figure, series, x).map(unit).toArray())))
                .toList();
        return new Chart.Line(name, Chart.Kind.MEASURED, dots);
    }

    private DoubleStream matching(String figure, String series, double x) {
        return rows.stream()
                .map(Row::measured)
                .filter(measured -> measured.figure().equals(figure)
                        && measured.series().equals(series)
                        && Double.compare(measured.x(), x) == 0)
                .mapToDouble(Measured::value);
    }
}
