package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.data.Offset.offset;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files of many makers against what Pillow reads from them. */
class SharedImagesTest {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));
    private static final Pattern TEXT = Pattern.compile("\"(\\w+)\": (\"[^\"]*\"|-?[0-9.]+|\\[[-0-9., ]*\\])");

    /** Whether one in four of the pictures that are not odd is read, not one in sixteen. */
    private static final boolean THOROUGH = Boolean.getBoolean("penstock.endurance");

    /** Pillow reads on behind damage that is refused here: a wrong checksum, no end, a code size of 11 in a GIF. */
    private static final List<String> STRICTER =
            List.of("broken_data_stream.png", "truncated_end_chunk.png", "issue_2811.gif");

    /** Damaged or doubtful: what a JDK makes of them depends on the libjpeg that it was built with. */
    private static final Pattern DOUBTFUL = Pattern.compile("/crashtest/|hopper_bad_exif|duplicate-component-ids");

    static List<ImageDecoder> decoders() {
        return List.of(ImageDecoder.jdk(), ImageDecoder.openCv());
    }

    @Tag("repeated")
    @ParameterizedTest
    @MethodSource("decoders")
    void images_thatPillowReads_haveItsSizeAndMean(ImageDecoder decoder) throws IOException {
        int compared = 0;
        int exact = 0;
        for (Map<String, String> expected : expectations()) {
            String path = expected.get("path");
            boolean leftOut = !THOROUGH && !path.contains("/odd/") && path.hashCode() % 16 != 0;
            boolean unknown = leftOut
                    || expected.containsKey("error")
                    || STRICTER.contains(path.substring(path.lastIndexOf('/') + 1))
                    || decoder.id().startsWith("jdk")
                            && ("webp".equals(expected.get("bytes_are"))
                                    || DOUBTFUL.matcher(path).find());
            if (unknown) {
                continue;
            }

            Tensor decoded = decoder.decode(bytes(path));

            assertThat(decoded.shape()).as(path).isEqualTo(shape(expected));
            if (!expected.get("mode").equals("I")) { // 16 bits in its mean
                assertThat(mean(decoded)).as(path).containsExactly(mean(expected), offset(1.0));
            }
            if ("RGB".equals(expected.get("pixels")) && orientation(expected) == 1) {
                assertThat(sha256(decoded)).as(path).isEqualTo(expected.get("rgb_sha256"));
                exact++;
            }
            compared++;
        }
        assertThat(compared).isGreaterThan(THOROUGH ? 1000 : 300);
        assertThat(exact).isGreaterThan(THOROUGH ? 500 : 100);
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void images_thatPillowRefuses_endInOneMessageOrAPicture(ImageDecoder decoder) throws IOException {
        int refused = 0;
        for (Map<String, String> expected : expectations()) {
            if (expected.containsKey("error")) {
                try {
                    assertThat(decoder.decode(bytes(expected.get("path")))
                                    .shape()
                                    .rank())
                            .isEqualTo(3);
                } catch (FormatException e) {
                    assertThat(e.getMessage())
                            .as(expected.get("path"))
                            .isNotBlank()
                            .doesNotContain("\n");
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(60);
    }

    @Tag("repeated")
    @Test
    void decoders_onTheSamePhoto_differByLittle() throws IOException {
        int pictures = THOROUGH ? 100 : 25;
        int compared = 0;
        for (Map<String, String> expected : expectations()) {
            String path = expected.get("path");
            if (path.contains("/clothing/") && compared < pictures) {
                Tensor jdk = ImageDecoder.jdk().decode(bytes(path));
                Tensor openCv = ImageDecoder.openCv().decode(bytes(path));

                assertThat(TestPhotos.meanDifference(jdk, openCv)).as(path).isLessThan(0.5);
                compared++;
            }
        }
        assertThat(compared).isEqualTo(pictures);
    }

    private static Tensor bytes(String path) throws IOException {
        return Tensor.ofBytes(Files.readAllBytes(DATA.resolve(path)));
    }

    /** Every odd picture, and one in four of the others; strings without quotes. */
    private static List<Map<String, String>> expectations() throws IOException {
        Path file = DATA.resolve("expected/images.jsonl");
        assumeTrue(Files.exists(file), "no shared data at " + DATA);
        List<Map<String, String>> all =
                Files.readAllLines(file).stream().map(SharedImagesTest::parse).toList();
        assumeTrue(!all.isEmpty(), "no expectations in " + file);
        return all.stream()
                .filter(one ->
                        one.get("path").contains("/odd/") || one.get("path").hashCode() % 4 == 0)
                .toList();
    }

    private static Map<String, String> parse(String line) {
        Map<String, String> fields = new HashMap<>();
        Matcher matcher = TEXT.matcher(line);
        while (matcher.find()) {
            String value = matcher.group(2);
            fields.putIfAbsent(
                    matcher.group(1), value.startsWith("\"") ? value.substring(1, value.length() - 1) : value);
        }
        return fields;
    }

    private static int orientation(Map<String, String> expected) {
        return Integer.parseInt(expected.getOrDefault("orientation", "1"));
    }

    private static Shape shape(Map<String, String> expected) {
        int width = Integer.parseInt(expected.get("width"));
        int height = Integer.parseInt(expected.get("height"));
        return orientation(expected) >= 5 ? Shape.of(width, height, 3) : Shape.of(height, width, 3);
    }

    private static double[] mean(Map<String, String> expected) {
        String[] values = expected.get("mean").replaceAll("[\\[\\] ]", "").split(",", -1);
        double[] means = new double[3];
        for (int i = 0; i < 3; i++) {
            means[i] = Double.parseDouble(values[values.length < 3 ? 0 : i]);
        }
        return means;
    }

    private static double[] mean(Tensor picture) {
        byte[] pixels = picture.toByteArray();
        double[] means = new double[3];
        for (int i = 0; i < pixels.length; i++) {
            means[i % 3] += (pixels[i] & 0xFF) * 3.0 / pixels.length;
        }
        return means;
    }

    private static String sha256(Tensor picture) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(picture.toByteArray()));
        } catch (NoSuchAlgorithmException e) {
            return fail(e);
        }
    }
}
