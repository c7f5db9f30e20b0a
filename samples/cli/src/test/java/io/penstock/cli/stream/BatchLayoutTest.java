package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code stream --layout} and {@code --longs}. */
class BatchLayoutTest {

    @TempDir
    private Path folder;

    private String source = "";

    @BeforeEach
    void makePictures() {
        Path pictures = folder.resolve("pictures");
        PictureFolder.write(pictures, 12).blockLast();
        source = "--source images:" + pictures + " --resize 8 --batch 4 --digest";
    }

    @Test
    void layoutAndLongs_changeNeitherDigestNorToken() {
        Cli plain = Cli.stream(source);
        Cli planes = Cli.stream(source + " --layout chw --longs label");

        assertThat(planes.err()).isEmpty();
        assertThat(planes.content(0)).isEqualTo(plain.content(0));
        assertThat(planes.done().path("resume")).isEqualTo(plain.done().path("resume"));
    }

    @Test
    void fieldThatIsNotThere_isRefusedBeforeAnythingIsLoaded() {
        assertThat(Cli.stream(source + " --longs class").err())
                .contains("there is no field \"class\" to batch as longs; there are [pixels, label]");
        assertThat(Cli.stream(source + " --layout chw:image").err())
                .contains("there is no field \"image\" to batch as channels first");
        assertThat(Cli.stream(source + " --layout nchw").err())
                .contains("hwc, chw or chw:FIELD,… was expected, was \"nchw\"");
    }
}
