package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cli.Cli;
import io.penstock.fit.Fit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stages by a fit on the command line. */
class FitFlagsTest {

    @TempDir
    Path folder;

    private String table;

    @BeforeEach
    void fit() throws IOException {
        String rows = IntStream.range(0, 500)
                .mapToObj(i -> "%s,%d,port %d".formatted(i % 10 == 0 ? "" : Integer.toString(i % 40), i % 7, i % 3))
                .collect(Collectors.joining("\n", "age,deck,port\n", "\n"));
        Files.writeString(folder.resolve("t.csv"), rows);
        table = "csv:" + folder + "/t.csv#age:double=NaN,deck:int,port";
        Cli fitted = Cli.run("fit", table, "--to", folder.resolve("fit.json").toString());
        assertThat(fitted.status()).as(fitted.err()).isZero();
    }

    private Cli stream(String flags) {
        return Cli.stream("--source %s --pad --epochs 1 --digest %s"
                .formatted(
                        table, flags.replace("FIT", folder.resolve("fit.json").toString())));
    }

    private String digest(String flags) {
        Cli run = stream(flags);
        assertThat(run.status()).as(run.err()).isZero();
        return run.epoch(0).path("content_digest").asText();
    }

    @Test
    void stages_ofAFit_makeTheRowsThatItsNumbersSay() throws IOException {
        Path standard = folder.resolve("standard");
        Cli written = Cli.run(
                "fit",
                table,
                "--fill",
                folder + "/fit.json",
                "--standardise",
                folder + "/fit.json#age,deck",
                "--one-hot",
                folder + "/fit.json#port",
                "--to",
                standard + ".json");
        assertThat(written.status()).as(written.err()).isZero();

        Fit again = Fit.read(Path.of(standard + ".json"));

        assertThat(again.fields().get("age").missing()).isZero();
        assertThat(Math.abs(again.fields().get("age").mean())).isLessThan(1e-6);
        assertThat(again.fields().get("deck").deviation()).isCloseTo(1, within(1e-6));
        assertThat(again.fields().get("port").values()).isEqualTo(1500);
    }

    @Test
    void cache_twoFits_areNeverMixed() throws IOException {
        String cached = "--cache-disk %s --standardise FIT".formatted(folder.resolve("cache"));
        String first = digest(cached);
        assertThat(digest(cached)).isEqualTo(first);
        assertThat(Cli.run(
                                "fit",
                                table,
                                "--split",
                                "0..0.5",
                                "--to",
                                folder.resolve("fit.json").toString())
                        .status())
                .isZero();

        String second = digest(cached);

        assertThat(second).isNotEqualTo(first).isEqualTo(digest("--standardise FIT"));
    }

    @Test
    void buckets_ofAFit_andWhatCannotBe() {
        assertThat(digest("--bucketise FIT#age=4,deck")).isNotEqualTo(digest("--bucketise FIT#age=5,deck"));
        assertThat(stream("--bucketise FIT#age=x").status()).isEqualTo(2);
        assertThat(stream("--standardise FIT#port").err()).contains("use one-hot");
        assertThat(stream("--one-hot FIT").err()).contains("name the fields");
        assertThat(stream("--fill nowhere.json").err()).contains("cannot read the fit nowhere.json");
    }
}
