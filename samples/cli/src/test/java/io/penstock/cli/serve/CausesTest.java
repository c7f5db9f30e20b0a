package io.penstock.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.pictures.JpegWriter;
import io.penstock.pictures.PictureFolder;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that are slow for a cause which is made, and what their verdict names. */
class CausesTest {

    /** More than a second of work, also on a fast machine: the folder is read as often as this. */
    private static final int TIMES = 8;

    private static final int LOADS = 64;

    @TempDir
    private Path folder;

    private static String verdict(Cli run) {
        assertThat(run.err()).isEmpty();
        return run.done().path("verdict").asText();
    }

    @Tag("endurance")
    @Test
    void stage_thatOneWorkerRuns_isNamed() {
        PictureFolder.write(folder, 300).blockLast();

        Supplier<String> verdict = () ->
                verdict(Cli.stream(("--source images:" + folder + " ").repeat(TIMES) + "--resize 100 --workers 1"));

        // Small pictures: the time goes to decoding, not to the garbage collector. Other tests slow some of the runs.
        assertThat(Stream.generate(verdict).limit(20))
                .anyMatch(one -> one.matches("stage \".*decode.* of the workers' time: .*"));
    }

    @Test
    void loads_ofWhichTooFewAreSet_areNamed() throws IOException {
        byte[] picture = JpegWriter.encode(new BufferedImage(16, 16, BufferedImage.TYPE_INT_RGB), 0.8f);
        Path one = Files.createDirectories(folder.resolve("class-0"));
        for (int i = 0; i < 4 * LOADS; i++) {
            Files.write(one.resolve(i + ".jpg"), picture);
        }

        Cli run;
        try (FileServer server =
                FileServer.of(folder).manifest().delay(Duration.ofSeconds(1)).start()) {
            run = Cli.stream("--source http:%smanifest.jsonl --in-flight %d".formatted(server.address(), LOADS));
        }

        assertThat(verdict(run))
                .startsWith("the source answers slowly (1")
                .contains("leave --in-flight out, so that the run finds how many pay");
    }
}
