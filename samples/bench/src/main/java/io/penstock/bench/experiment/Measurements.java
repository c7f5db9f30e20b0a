package io.penstock.bench.experiment;

import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All values that an experiment measured. Not thread-safe.
 *
 * <p>If there is a file, each turn of a trial replaces it, so that an interrupted experiment continues after its last
 * complete turn. The head of the file names the conditions; measurements under other conditions are never added.
 */
public final class Measurements {

    private static final String COLUMNS = "trial,round,figure,series,x,value\n";

    private record Turn(String trial, int round) {}

    record Place(String figure, String series, double x) {}

    private final @Nullable Path file;
    private final String head;
    private final Map<Turn, List<Measurement>> turns = new LinkedHashMap<>();

    /** In memory only. */
    public Measurements() {
        this(null, "");
    }

    private Measurements(@Nullable Path file, String head) {
        this.file = file;
        this.head = head;
    }

    /**
     * Reads the file, if it exists.
     * @param conditions under which the file must have been measured
     * @throws StoreException if the file cannot be read, or was measured under other conditions
     */
    static Measurements open(Path file, Map<String, String> conditions) {
        StringBuilder head = new StringBuilder();
        conditions.forEach((name, value) -> head.append("# %s: %s\n".formatted(name, value.replaceAll("\\s+", " "))));
        Measurements measurements = new Measurements(file, head.append(COLUMNS).toString());
        try {
            if (Files.exists(file)) {
                measurements.read(file, Files.readString(file));
            }
            return measurements;
        } catch (IOException e) {
            throw new StoreException("cannot read measurements of %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    private void read(Path from, String text) {
        if (!text.startsWith(head)) {
            throw new StoreException(
                    "cannot continue %s: it was measured elsewhere or with other settings; use another --out, or remove the file"
                            .formatted(from));
        }
        for (String line : text.substring(head.length()).lines().toList()) {
            try {
                String[] words = line.split(",", -1);
                Measurement measurement =
                        new Measurement(words[2], words[3], Double.parseDouble(words[4]), Double.parseDouble(words[5]));
                turns.computeIfAbsent(new Turn(words[0], Integer.parseInt(words[1])), turn -> new ArrayList<>())
                        .add(measurement);
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
                throw new StoreException(
                        "cannot continue %s: not a measurement: %s; remove the file".formatted(from, line), e);
            }
        }
    }

    /** Adds what a trial measured in a round. */
    public void add(String trial, int round, List<Measurement> found) {
        turns.put(new Turn(trial, round), List.copyOf(found));
        if (file != null) {
            write(file);
        }
    }

    private void write(Path to) {
        StringBuilder text = new StringBuilder(head);
        turns.forEach((turn, found) -> found.forEach(one -> text.append("%s,%d,%s,%s,%s,%s\n"
                .formatted(
                        turn.trial,
                        turn.round,
                        one.figure(),
                        one.series(),
                        Double.toString(one.x()),
                        Double.toString(one.value())))));
        try {
            Files.createDirectories(Objects.requireNonNull(to.toAbsolutePath().getParent(), "a file is in a folder"));
            AtomicFile.write(to, text.toString());
        } catch (IOException e) {
            throw new StoreException("cannot write measurements to %s: %s".formatted(to, FileErrors.reason(e)), e);
        }
    }

    boolean has(String trial, int round) {
        return turns.containsKey(new Turn(trial, round));
    }

    int turns() {
        return turns.size();
    }

    /** The spread of each place, in the order of the first measurement. */
    Map<Place, Spread> spreads() {
        Map<Place, List<Double>> values = new LinkedHashMap<>();
        all().forEach(one -> values.computeIfAbsent(
                        new Place(one.figure(), one.series(), one.x()), place -> new ArrayList<>())
                .add(one.value()));
        Map<Place, Spread> spreads = new LinkedHashMap<>();
        values.forEach((place, found) -> spreads.put(
                place, Spread.of(found.stream().mapToDouble(Double::doubleValue).toArray())));
        return spreads;
    }

    /** The places of a line, from left to right. */
    public List<Double> places(String figure, String series) {
        return all().filter(one -> one.figure().equals(figure) && one.series().equals(series))
                .map(Measurement::x)
                .distinct()
                .sorted()
                .toList();
    }

    /** The values of one place, by round. */
    public double[] values(String figure, String series, double x) {
        return all().filter(one ->
                        one.figure().equals(figure) && one.series().equals(series) && Double.compare(one.x(), x) == 0)
                .mapToDouble(Measurement::value)
                .toArray();
    }

    /**
     * The values of one place, summarised.
     * @throws IllegalArgumentException if there is no such place
     */
    public Spread spread(String figure, String series, double x) {
        return Spread.of(values(figure, series, x));
    }

    public double median(String figure, String series, double x) {
        return spread(figure, series, x).median();
    }

    /** A line of a chart, over the places of its measurements. */
    public Chart.Line line(String name, String figure, String series) {
        return line(name, figure, series, x -> x);
    }

    /** A line of a chart, over other places than those of its measurements. */
    public Chart.Line line(String name, String figure, String series, DoubleUnaryOperator place) {
        List<Chart.Dot> dots = places(figure, series).stream()
                .map(x -> new Chart.Dot(place.applyAsDouble(x), spread(figure, series, x)))
                .toList();
        return new Chart.Line(name, Chart.Kind.MEASURED, dots);
    }

    private Stream<Measurement> all() {
        return turns.values().stream().flatMap(List::stream);
    }
}
