package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.fit.FieldFit;
import io.penstock.fit.Fit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WindowRowsTest {

    private static final int STORES = 30;
    private static final int DAYS = 12;

    private static final LocalDate FIRST = LocalDate.of(2024, 2, 26);

    @TempDir
    Path folder;

    private String source = "";

    @BeforeEach
    void write() throws IOException {
        StringBuilder text = new StringBuilder("store,day,sales\n");
        for (int day = 0; day < DAYS; day++) { // day after day, so that a series lies apart
            for (int store = 0; store < STORES; store++) {
                text.append("s%d,%s,%d%n".formatted(store, FIRST.plusDays(day), store));
            }
        }
        source = "csv:" + Files.writeString(folder.resolve("a.csv"), text) + "#store,day,sales:float";
    }

    private Cli stream(String windows, String... more) {
        return Cli.stream(
                "--source %s --window-rows %s --batch 2 %s".formatted(source, windows, String.join(" ", more)));
    }

    private static long samples(Cli cli) {
        assertThat(cli.status()).as(cli.err()).isZero();
        return cli.epoch(0).path("samples").asLong();
    }

    @Test
    void stream_sortedWindows_areAsManyAsLoopsFind() {
        String windows = "length=4,horizon=2,by=store,order=day,step=1,sort=yes";

        Cli all = stream(windows);

        assertThat(samples(all)).isEqualTo(STORES * 7);
    }

    @Test
    void stream_parts_haveNoSeriesAndNoDayInCommon() {
        String windows = "length=2,by=store,order=day,sort=yes";

        long left = samples(stream(
                windows,
                "--split",
                "0..0.6",
                "--cache-disk",
                folder.resolve("cache").toString()));
        long right = samples(stream(windows, "--split", "0.6..1"));
        long before = samples(stream(windows + ",until=2024-03-01"));
        long after = samples(stream(windows + ",from=2024-03-01"));

        assertThat(left % (DAYS - 1)).isZero();
        assertThat(left + right).isEqualTo(STORES * (DAYS - 1));
        assertThat(before).isEqualTo(STORES * 3);
        assertThat(after).isEqualTo(STORES * 7);
    }

    @Test
    void fit_ofTheWindowsToTrainWith_standardisesAllAndHasNoSeriesOfTheOthers() {
        String windows = "length=2,by=store,order=day,sort=yes,features=sales";
        Path fits = folder.resolve("fits");
        for (String split : List.of("0..0.6", "0..1")) {
            Cli fitted =
                    Cli.run("fit", source, "--window-rows", windows, "--split", split, "--to", fits + split + ".json");
            assertThat(fitted.status()).as(fitted.err()).isZero();
        }
        Cli rows = Cli.run("fit", source, "--split", "0..0.6", "--to", fits + "rows.json");
        assertThat(rows.status()).as(rows.err()).isZero();

        Cli standardised = stream(windows, "--split", "0.6..1", "--standardise", fits + "0..0.6.json");
        Cli ofRows = stream(windows, "--split", "0.6..1", "--standardise", fits + "rows.json");

        long training = samples(stream(windows, "--split", "0..0.6"));
        FieldFit fit = Fit.read(Path.of(fits + "0..0.6.json")).fields().get("features");
        assertThat(fit.values()).isEqualTo(2 * training);
        assertThat(fit.classes()).hasSize((int) training / (DAYS - 1));
        assertThat(Fit.read(Path.of(fits + "0..1.json"))
                        .fields()
                        .get("features")
                        .classes())
                .hasSize(STORES);
        assertThat(samples(standardised)).isEqualTo(STORES * (DAYS - 1) - training);
        assertThat(ofRows.status()).isEqualTo(2);
        assertThat(ofRows.err()).contains("field \"features\" was not fitted, only [", "windows if these are");
    }

    @Test
    void stream_whatCannotBe_saysTheWayOut() {
        assertThat(stream("length=2,by=store,order=day").err()).contains("or say sort=yes in --window-rows");
        assertThat(stream("horizon=2").err()).contains("windows are length=N,horizon=N,stride=N,by=COLUMNS");
        assertThat(stream("length=2,size=4").err()).contains("windows are length=N");
        assertThat(stream("length=two").err())
                .contains("length of --window-rows must be a number of rows, was \"two\"");
        assertThat(stream("length=2,step=1d").err())
                .contains("'--window-rows': a place in a series is a whole number, a date as 2024-12-31");
        assertThat(stream("length=2,order=date").err()).contains("there is no column \"date\" for windows");
    }
}
