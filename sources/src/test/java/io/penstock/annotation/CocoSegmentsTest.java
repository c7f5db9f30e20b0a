package io.penstock.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CocoSegmentsTest {

    private static byte[] painted(byte[] segment, int height, int width) {
        byte[] mask = new byte[height * width];
        CocoSegments.paint(ByteBuffer.wrap(segment), (byte) 1, mask, height, width);
        return mask;
    }

    /** Run lengths down the columns, beginning with what is outside; written after the format, not after the decoder. */
    private static List<Integer> runs(byte[] mask, int height, int width) {
        List<Integer> runs = new ArrayList<>();
        int run = 0;
        byte now = 0;
        for (int x = 0; x < width; x++) {
            for (int y = 0; y < height; y++) {
                if (mask[y * width + x] != now) {
                    runs.add(run);
                    run = 0;
                    now = mask[y * width + x];
                }
                run++;
            }
        }
        runs.add(run);
        return runs;
    }

    /** As the format says: from the third on the difference to the one before the last, in groups of five bits, low first. */
    private static String packed(List<Integer> runs) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < runs.size(); i++) {
            long value = (long) runs.get(i) - (i > 2 ? runs.get(i - 2) : 0);
            boolean more = true;
            while (more) {
                long group = value & 31;
                value >>= 5;
                boolean negative = (group & 16) != 0;
                more = negative ? value != -1 : value != 0;
                text.append((char) (48 + group + (more ? 32 : 0)));
            }
        }
        return text.toString();
    }

    @Test
    void runs_ofRandomMasks_paintThem() {
        Random random = new Random(5);
        for (int round = 0; round < 300; round++) {
            int height = 1 + random.nextInt(40);
            int width = 1 + random.nextInt(40);
            byte[] mask = new byte[height * width];
            int density = 1 + random.nextInt(60);
            for (int at = 0, value = 0; at < mask.length; at++) {
                value = random.nextInt(density) == 0 ? 1 - value : value;
                mask[at] = (byte) value;
            }
            List<Integer> runs = runs(mask, height, width);
            int[] plain = runs.stream().mapToInt(Integer::intValue).toArray();

            assertThat(CocoSegments.unpack(packed(runs))).isEqualTo(plain);
            assertThat(painted(CocoSegments.runs(height, width, plain), height, width))
                    .isEqualTo(mask);
        }
    }

    @Test
    void runs_thatDoNotSumToTheSize_areRefused() {
        for (int[] lengths : new int[][] {{5, 6}, {5, 8}, {13, -1}, {}, {Integer.MAX_VALUE, Integer.MAX_VALUE, 14}}) {
            assertThatThrownBy(() -> CocoSegments.runs(3, 4, lengths)).isInstanceOf(FormatException.class);
        }
    }

    @Test
    void unpack_textThatIsNone_isRefused() {
        for (String text : List.of("\n", "P", "oooooooooooo", "ä", "o7o7".repeat(9) + "P")) {
            assertThatThrownBy(() -> CocoSegments.unpack(text)).isInstanceOf(FormatException.class);
        }
    }

    @Test
    void polygon_ofWholeCells_fillsThem() {
        byte[] mask = painted(CocoSegments.polygons(List.of(new double[] {2, 1, 6, 1, 6, 4, 2, 4})), 6, 8);

        for (int y = 0; y < 6; y++) {
            for (int x = 0; x < 8; x++) {
                assertThat(mask[y * 8 + x]).as("cell %d, %d", x, y).isEqualTo((byte)
                        (x >= 2 && x < 6 && y >= 1 && y < 4 ? 1 : 0));
            }
        }
    }

    @Test
    void polygons_random_areWithinACellOfTheirArea() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            double[] triangle = random.doubles(6, 2, 58).toArray();
            byte[] mask = painted(CocoSegments.polygons(List.of(triangle)), 60, 60);
            for (int y = 0; y < 60; y++) {
                for (int x = 0; x < 60; x++) {
                    double edge = distance(triangle, x + .5, y + .5);
                    if (edge > 1) {
                        assertThat(mask[y * 60 + x] == 1)
                                .as("cell %d, %d", x, y)
                                .isEqualTo(inside(triangle, x + .5, y + .5));
                    }
                }
            }
        }
    }

    private static boolean inside(double[] ring, double x, double y) {
        boolean in = false;
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3;
            if (ring[2 * i + 1] > y != ring[2 * j + 1] > y
                    && x
                            < (ring[2 * j] - ring[2 * i]) * (y - ring[2 * i + 1]) / (ring[2 * j + 1] - ring[2 * i + 1])
                                    + ring[2 * i]) {
                in = !in;
            }
        }
        return in;
    }

    private static double distance(double[] ring, double x, double y) {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3;
            double dx = ring[2 * j] - ring[2 * i];
            double dy = ring[2 * j + 1] - ring[2 * i + 1];
            double along = ((x - ring[2 * i]) * dx + (y - ring[2 * i + 1]) * dy) / (dx * dx + dy * dy);
            double clamped = Math.max(0, Math.min(1, along));
            least = Math.min(least, Math.hypot(x - ring[2 * i] - clamped * dx, y - ring[2 * i + 1] - clamped * dy));
        }
        return least;
    }

    @Test
    void polygon_outsideOrBroken_isClippedOrRefused() {
        byte[] mask = painted(CocoSegments.polygons(List.of(new double[] {-50, -50, 50, -50, 50, 50, -50, 50})), 4, 3);

        assertThat(mask).containsOnly(1);
        for (double[] ring :
                new double[][] {{1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, Double.NaN}, {1, 2, 3, 4, 5, 1e9}
                }) {
            assertThatThrownBy(() -> CocoSegments.polygons(List.of(ring))).isInstanceOf(FormatException.class);
        }
    }
}
