package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.source.Picture;
import io.penstock.pictures.PictureFolder;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
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
    void layoutBehindNormalise_isWrittenByIt_andBatchesAreTransposed() {
        String normalised = " --augment crop=6,flip,normalise=imagenet";
        Tensor last = firstPixels(normalised, Shape.of(6, 6, 3));
        Tensor first = firstPixels(normalised + " --layout chw", Shape.of(3, 6, 6));
        Tensor named = firstPixels(normalised + " --layout chw:pixels", Shape.of(3, 6, 6));
        Tensor padded = firstPixels(normalised + " --layout chw --pad", Shape.of(6, 6, 3));

        assertThat(first.shape()).isEqualTo(Shape.of(4, 3, 6, 6));
        assertThat(named).isEqualTo(first).isEqualTo(padded);
        for (int i = 0; i < last.shape().elements(); i++) {
            int pixel = i / 3 % 36;
            assertThat(first.floatAt(i / 108 * 108 + i % 3 * 36 + pixel)).isEqualTo(last.floatAt(i));
        }
        assertThat(Cli.stream(source + normalised + " --layout chw").done().path("resume"))
                .isEqualTo(Cli.stream(source + normalised).done().path("resume"));
    }

    /** The pixels of the first batch, of samples that have them in this shape. */
    private Tensor firstPixels(String flags, Shape ofSample) {
        try (Run<?> run = StreamFlags.parse((source + flags).split(" ")).open()) {
            return firstPixels(run, ofSample);
        }
    }

    private static <T> Tensor firstPixels(Run<T> run, Shape ofSample) {
        return run.loads()
                .apply(run.sampler())
                .doOnNext(sample ->
                        assertThat(((Picture) sample.value()).pixels().shape()).isEqualTo(ofSample))
                .transform(run.batches())
                .map(batch -> {
                    try (batch) {
                        return batch.tensor("pixels").copy();
                    }
                })
                .blockFirst();
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
