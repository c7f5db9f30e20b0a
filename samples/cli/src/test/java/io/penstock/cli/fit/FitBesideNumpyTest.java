package io.penstock.cli.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cli.Cli;
import io.penstock.fit.FieldFit;
import io.penstock.fit.Fit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fits of the shared tables beside numpy, which gets the numbers from Python's own reader of CSV. */
class FitBesideNumpyTest {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));
    private static final String TAXI = "csv/tfx/csv/data.csv";
    private static final String NUMPY = """
            import csv, sys, numpy
            with open(sys.argv[1], newline="") as file:
                rows = list(csv.DictReader(file))
            for column in sys.argv[2:]:
                values = numpy.array([float("nan" if row[column] in ("", "NA") else row[column]) for row in rows])
                there = values[~numpy.isnan(values)]
                told = [len(values) - len(there), len(numpy.unique(there)), there.mean(), there.std()]
                told += list(numpy.sort(there)[numpy.arange(101) * (len(there) - 1) // 100])
                print(*map(float, told))
            """;

    private static String python = "";

    @TempDir
    private Path folder;

    @BeforeAll
    static void findNumpy() throws Exception {
        assumeTrue(Files.isDirectory(DATA.resolve("csv")), "the shared data with tables are not here");
        for (String each : List.of("python3", "/usr/bin/python3")) {
            python = python.isEmpty() && run(each, "-c", "import numpy").isEmpty() ? each : python;
        }
        assumeTrue(!python.isEmpty(), "this test needs python3 with numpy");
    }

    /** Few and many different numbers, small spreads far from 0, long tails, both signs, and missing ones. */
    @ParameterizedTest
    @CsvSource({
        TAXI + ", fare trip_miles trip_seconds tips trip_start_timestamp pickup_latitude pickup_longitude",
        TAXI + ", dropoff_latitude dropoff_longitude dropoff_census_tract dropoff_community_area",
        "csv/palmerpenguins/penguins.csv, bill_length_mm bill_depth_mm flipper_length_mm body_mass_g year",
        "csv/vega-datasets/airports.csv, latitude longitude",
        "csv/vega-datasets/seattle-weather.csv, precipitation temp_max temp_min wind"
    })
    void fit_ofASharedTable_isThatOfNumpy(String table, String columns) throws Exception {
        String[] names = columns.split(" ", -1);
        List<double[]> told = numpy(table, names);

        Fit fit = fit("csv:" + DATA.resolve(table) + "#" + String.join(":double=NaN,", names) + ":double=NaN");

        for (int i = 0; i < names.length; i++) {
            check(names[i], fit, told.get(i));
        }
    }

    /** The shared file of Parquet has the rows of the CSV, whose text rounds a last place here and there. */
    @Test
    void fit_ofParquet_isThatOfNumpy() throws Exception {
        String[] names = {"fare", "trip_start_timestamp", "dropoff_latitude", "pickup_longitude", "tips"};
        List<double[]> told = numpy(TAXI, names);

        Fit fit = fit("parquet:" + DATA.resolve("parquet/tfx/data.parquet") + "#"
                + String.join("=NaN,", names).replace("timestamp=NaN", "timestamp") + "=NaN");

        for (int i = 0; i < names.length; i++) {
            check(names[i], fit, told.get(i));
        }
    }

    private static void check(String name, Fit fit, double[] told) {
        FieldFit ours = fit.fields().get(name);
        assertThat(ours).as(name).isNotNull();
        assertThat((double) ours.missing()).as("missing of %s", name).isEqualTo(told[0]);
        assertThat(ours.mean()).as("mean of %s", name).isCloseTo(told[2], within(1e-9 * Math.abs(told[2])));
        assertThat(ours.deviation()).as("deviation of %s", name).isCloseTo(told[3], within(1e-9 * told[3]));
        boolean exact = !ours.classes().isEmpty();
        assertThat((double) ours.distinct())
                .as("distinct of %s", name)
                .isCloseTo(told[1], within(exact ? 0 : 0.05 * told[1]));
        for (int i = 0; i <= 100; i++) {
            double wanted = told[4 + i];
            double bound = (exact ? 1e-15 : 0.002) * Math.abs(wanted);
            assertThat(ours.percentiles().get(i))
                    .as("percentile %d of %s", i, name)
                    .isCloseTo(wanted, within(bound));
        }
        assertThat(ours.min()).as("minimum of %s", name).isEqualTo(told[4]);
        assertThat(ours.max()).as("maximum of %s", name).isEqualTo(told[104]);
    }

    private Fit fit(String source) {
        Path to = folder.resolve("fit.json");
        Cli run = Cli.run("fit", source, "--to", to.toString());
        assertThat(run.status()).as(run.err()).isZero();
        return Fit.read(to);
    }

    private List<double[]> numpy(String table, String... columns) throws Exception {
        Path script = Files.writeString(folder.resolve("moments.py"), NUMPY);
        String said = run(Stream.concat(
                        Stream.of(python, script.toString(), DATA.resolve(table).toString()), Stream.of(columns))
                .toArray(String[]::new));
        return said.lines()
                .map(line -> Stream.of(line.split(" "))
                        .flatMapToDouble(word -> DoubleStream.of(Double.parseDouble(word)))
                        .toArray())
                .toList();
    }

    /** What it printed; also that there is no such program. */
    private static String run(String... command) throws InterruptedException {
        try {
            Process running =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return running.waitFor() == 0 ? said : "failed " + said;
        } catch (IOException e) {
            return e.toString();
        }
    }
}
