package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.image.internal.Homography;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operations beside those of Pillow itself, on photos: where python3 has it, and the shared data are there. */
class PillowTest {

    private static final int HEIGHT = 120;
    private static final int WIDTH = 160;
    private static final Path DATA =
            Path.of(System.getProperty("penstock.data", "missing")).resolve("vision/bccd-voc/JPEGImages");

    private static final List<String> OPERATIONS = List.of(
            "invert=0",
            "solarise=100",
            "posterise=3",
            "autocontrast=0",
            "equalise=0",
            "grey=0",
            "brightness=0.7",
            "brightness=-0.4",
            "contrast=0.9",
            "contrast=-0.5",
            "saturation=0.8",
            "saturation=-0.6",
            "sharpness=0.9",
            "sharpness=-0.7",
            "vertical-flip=0",
            "rotate=20",
            "rotate=-100",
            "shear-x=0.3",
            "shear-y=-0.2",
            "translate-x=5",
            "translate-y=-4.5",
            "perspective=0.4");

    @TempDir
    private Path folder;

    @Test
    void operations_onPhotos_areWithinALevelOfPillow() throws Exception {
        check(3);
    }

    @Test
    @Tag("endurance")
    void operations_on50Photos_areWithinALevelOfPillow() throws Exception {
        check(50);
    }

    private void check(int count) throws Exception {
        assumeTrue(Files.isDirectory(DATA), "the shared data with photos are not here");
        assumeTrue(run("-c", "import PIL").isEmpty(), "this test needs python3 with Pillow on the path");
        List<Tensor> photos = photos(count);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        photos.forEach(photo -> all.writeBytes(photo.toByteArray()));
        Files.write(folder.resolve("photos"), all.toByteArray());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("penstock.root"), "operators/src/test/python/pillow_operations.py")
                        .toString(),
                folder.resolve("photos").toString(),
                folder.resolve("changed").toString(),
                Integer.toString(HEIGHT),
                Integer.toString(WIDTH)));
        OPERATIONS.forEach(text -> command.add(text.replace("perspective=0.4", "perspective=" + coefficients())));

        assertThat(run(command.toArray(String[]::new))).isEmpty();

        byte[] theirs = Files.readAllBytes(folder.resolve("changed"));
        byte[] white = new byte[HEIGHT * WIDTH * 3];
        Arrays.fill(white, (byte) 255);
        int at = 0;
        for (Tensor photo : photos) {
            for (String text : OPERATIONS) {
                String[] words = text.split("=", -1);
                Step step = new Step(Operation.of(words[0]), Double.parseDouble(words[1]), 0);
                byte[] ours = Steps.apply(photo, List.of(step)).toByteArray();
                // at the border Pillow repeats pixels, where ours go over to black
                boolean moves =
                        !Steps.back(List.of(step), Image.of(photo.shape())).equals(Homography.IDENTITY);
                byte[] inside = moves
                        ? Steps.apply(Tensor.ofBytes(white, HEIGHT, WIDTH, 3), List.of(step))
                                .toByteArray()
                        : white;
                int furthest = 0;
                int compared = 0;
                for (int i = 0; i < white.length; i++) {
                    if (inside[i] == -1) {
                        furthest = Math.max(furthest, Math.abs((ours[i] & 0xFF) - (theirs[at + i] & 0xFF)));
                        compared++;
                    }
                }
                assertThat(furthest).as(text).isLessThanOrEqualTo(1);
                assertThat(compared).as(text).isGreaterThan(white.length / 2);
                at += white.length;
            }
        }
        assertThat(at).isEqualTo(theirs.length);
    }

    /** Of the corners that are drawn: Pillow, too, maps the middles of pixels back. */
    private static String coefficients() {
        Homography back = Steps.back(List.of(new Step(Operation.PERSPECTIVE, 0.4, 0)), new Image(HEIGHT, WIDTH, 3));
        return DoubleStream.of(back.a(), back.b(), back.c(), back.d(), back.e(), back.f(), back.g(), back.h())
                .mapToObj(number -> Double.toString(number / back.i()))
                .collect(Collectors.joining(":"));
    }

    /** Pillow's own blur is an approximation, so this is the formula. */
    @Test
    void blur_onPhotos_isWithinALevelOfItsDefinition() throws Exception {
        checkBlur(3);
    }

    @Test
    @Tag("endurance")
    void blur_on50Photos_isWithinALevelOfItsDefinition() throws Exception {
        checkBlur(50);
    }

    private static void checkBlur(int count) throws IOException {
        assumeTrue(Files.isDirectory(DATA), "the shared data with photos are not here");
        double deviation = 1.3;
        double[] weights = IntStream.rangeClosed(-4, 4)
                .mapToDouble(i -> Math.exp(-i * i / (2 * deviation * deviation)))
                .toArray();
        double sum = DoubleStream.of(weights).sum();
        for (Tensor photo : photos(count)) {
            double[] across = new double[HEIGHT * WIDTH * 3];
            byte[] blurred = Steps.apply(photo, List.of(new Step(Operation.BLUR, deviation, 0)))
                    .toByteArray();

            for (int at = 0; at < across.length; at++) {
                for (int i = 0; i < weights.length; i++) {
                    int x = mirrored(at / 3 % WIDTH + i - 4, WIDTH);
                    across[at] += weights[i] / sum * photo.longAt((at / 3 / WIDTH * WIDTH + x) * 3 + at % 3);
                }
            }
            for (int at = 0; at < across.length; at++) {
                double wanted = 0;
                for (int i = 0; i < weights.length; i++) {
                    int y = mirrored(at / 3 / WIDTH + i - 4, HEIGHT);
                    wanted += weights[i] / sum * across[(y * WIDTH + at / 3 % WIDTH) * 3 + at % 3];
                }
                if (Math.abs((blurred[at] & 0xFF) - wanted) > 1) {
                    assertThat((double) (blurred[at] & 0xFF)).as("value %d", at).isCloseTo(wanted, within(1.0));
                }
            }
        }
    }

    private static int mirrored(int place, int length) {
        return place < 0 ? -place : place < length ? place : 2 * (length - 1) - place;
    }

    private static List<Tensor> photos(int count) throws IOException {
        ImageDecoder decoder = ImageDecoder.fastest();
        List<Tensor> photos = new ArrayList<>();
        try (Stream<Path> files = Files.list(DATA)) {
            for (Path file : files.sorted().limit(count).toList()) {
                Tensor bytes = Tensor.ofBytes(Files.readAllBytes(file));
                photos.add(decoder.decodeReduced(bytes, Resize.exact(HEIGHT, WIDTH)));
            }
        }
        assertThat(photos).hasSize(count);
        return photos;
    }

    /** What it printed; also that there is no such program. */
    private static String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.add(0, "python3");
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
