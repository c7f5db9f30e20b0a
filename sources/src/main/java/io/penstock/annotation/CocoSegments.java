package io.penstock.annotation;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The area of one instance as bytes, and its cells in a mask, as COCO's own tools count them: run lengths go down the
 * columns and begin with what is outside, and the cells of a polygon are those that {@code rleFrPoly} takes.
 * <pre>
 *  polygons:    0 | for each: n, 4 bytes | n times x, y, 4 bytes each, in fifths of a cell as COCO rounds them
 *  run lengths: 1 | height, 4 bytes | width, 4 bytes | run lengths, 4 bytes each
 * </pre>
 * @see <a href="https://github.com/cocodataset/cocoapi/blob/master/common/maskApi.c">maskApi.c</a>
 */
final class CocoSegments {

    private static final int SCALE = 5; // of the grid on which edges of polygons are walked

    private static final int MAX_CELLS = 1 << 28;

    private static final double MAX_PLACE = 1e6;

    private CocoSegments() {}

    static byte[] polygons(List<double[]> rings) {
        int length = 1 + rings.stream().mapToInt(ring -> 4 + 4 * ring.length).sum();
        ByteBuffer bytes = ByteBuffer.allocate(length).put((byte) 0);
        for (double[] ring : rings) {
            if (ring.length % 2 != 0 || ring.length < 6) {
                throw new FormatException("a polygon of %d numbers".formatted(ring.length));
            }
            bytes.putInt(ring.length / 2);
            for (double value : ring) {
                if (!(Math.abs(value) <= MAX_PLACE)) {
                    throw new FormatException("a polygon with " + value);
                }
                bytes.putInt((int) (SCALE * value + .5));
            }
        }
        return bytes.array();
    }

    /** @throws FormatException unless the lengths are those of a mask of this size */
    static byte[] runs(int height, int width, int[] lengths) {
        long sum = 0;
        ByteBuffer bytes = ByteBuffer.allocate(9 + 4 * lengths.length);
        bytes.put((byte) 1).putInt(height).putInt(width);
        for (int length : lengths) {
            if (length < 0) {
                throw new FormatException("a run of %d cells".formatted(length));
            }
            sum += length;
            bytes.putInt(length);
        }
        if (height < 1 || width < 1 || sum != (long) height * width) {
            throw new FormatException("run lengths of %d cells in a mask of %d x %d".formatted(sum, height, width));
        }
        return bytes.array();
    }

    /** Whether it has no run lengths, or those of a mask of this size. */
    static boolean fits(byte[] segment, int height, int width) {
        ByteBuffer bytes = ByteBuffer.wrap(segment);
        return segment.length < 9 || bytes.get() == 0 || bytes.getInt() == height && bytes.getInt() == width;
    }

    /** Run lengths as COCO packs them into a text: differences, five bits a character. */
    static int[] unpack(String text) {
        int[] lengths = new int[text.length()];
        int count = 0;
        for (int at = 0; at < text.length(); ) {
            long value = 0;
            int shift = 0;
            int character;
            do {
                character = at < text.length() ? text.charAt(at) - 48 : -1;
                if (character < 0 || character > 63 || shift > 35) {
                    throw new FormatException("run lengths that are no text of COCO's, at character " + at);
                }
                value |= (long) (character & 0x1F) << shift;
                shift += 5;
                at++;
            } while ((character & 0x20) != 0);
            if ((character & 0x10) != 0) {
                value |= -1L << shift;
            }
            value += count > 2 ? lengths[count - 2] : 0;
            if (value != (int) value) {
                throw new FormatException("a run of %d cells".formatted(value));
            }
            lengths[count++] = (int) value;
        }
        return Arrays.copyOf(lengths, count);
    }

    /** The mask of an image's annotations: the class and 1 where one is, a later one over an earlier one. */
    static Tensor painted(Annotations.Image of, int classes) {
        int height = of.height();
        int width = of.width();
        if (classes > 254 || (long) height * width > MAX_CELLS) {
            throw new FormatException("%s: a mask of bytes has at most 254 classes and %d cells, not %d and %d x %d"
                    .formatted(of.name(), MAX_CELLS, classes, height, width));
        }
        byte[] mask = new byte[height * width];
        for (int i = 0, at = 0; i < of.labels().length; at += of.lengths()[i++]) {
            ByteBuffer segment = ByteBuffer.wrap(of.bytes(), at, of.lengths()[i]);
            paint(segment, (byte) (of.labels()[i] + 1), mask, height, width);
        }
        return Tensor.ofBytes(mask, height, width);
    }

    /** Writes a value into the cells of a segment, {@code [height, width]}. */
    static void paint(ByteBuffer segment, byte value, byte[] mask, int height, int width) {
        boolean runs = segment.hasRemaining() && segment.get() == 1;
        if (runs) {
            segment.position(segment.position() + 2 * Integer.BYTES); // the size, which is that of the mask
        }
        while (segment.hasRemaining()) {
            int[] numbers = new int[runs ? segment.remaining() / Integer.BYTES : 2 * segment.getInt()];
            segment.asIntBuffer().get(numbers);
            segment.position(segment.position() + numbers.length * Integer.BYTES);
            for (int i = 1; runs && i < numbers.length; i++) {
                numbers[i] += numbers[i - 1]; // the first is of what is outside
            }
            int[] turns = runs ? numbers : turns(numbers, height, width);
            for (int i = 0; i < turns.length; i += 2) {
                int end = i + 1 < turns.length ? turns[i + 1] : height * width;
                for (int cell = turns[i]; cell < end; cell++) {
                    mask[cell % height * width + cell / height] = value; // they are counted down the columns
                }
            }
        }
    }

    /** The cells, counted down the columns, where a polygon begins and ends by turns. The last begin may have no end. */
    private static int[] turns(int[] ring, int height, int width) {
        int corners = ring.length / 2;
        IntStream.Builder found = IntStream.builder();
        int lastU = 0;
        int lastV = 0;
        boolean first = true;
        for (int i = 0; i < corners; i++) {
            int next = (i + 1) % corners;
            int xs = ring[2 * i];
            int ys = ring[2 * i + 1];
            int xe = ring[2 * next];
            int ye = ring[2 * next + 1];
            int dx = Math.abs(xe - xs);
            int dy = Math.abs(ye - ys);
            boolean flat = dx >= dy;
            boolean flip = flat ? xs > xe : ys > ye;
            int fromX = flip ? xe : xs;
            int fromY = flip ? ye : ys;
            double slope = flat ? dx == 0 ? 0 : (double) (ye - ys) / (xe - xs) : (double) (xe - xs) / (ye - ys);
            int steps = Math.max(dx, dy);
            for (int d = 0; d <= steps; d++) {
                int t = flip ? steps - d : d;
                int u = flat ? t + fromX : (int) (fromX + slope * t + .5);
                int v = flat ? (int) (fromY + slope * t + .5) : t + fromY;
                int cell = first || u == lastU ? -1 : cell(u, v, lastU, lastV, height, width);
                if (cell >= 0) {
                    found.add(cell);
                }
                first = false;
                lastU = u;
                lastV = v;
            }
        }
        return found.build().sorted().toArray();
    }

    /** The cell at which a step along an edge enters a column of cells; -1 if it enters none. */
    private static int cell(int u, int v, int lastU, int lastV, int height, int width) {
        double x = ((u < lastU ? u : u - 1) + .5) / SCALE - .5;
        if (Math.floor(x) != x || x < 0 || x > width - 1) {
            return -1;
        }
        double y = (Math.min(v, lastV) + .5) / SCALE - .5;
        return ((int) x) * height + (int) Math.ceil(Math.max(0, Math.min(height, y)));
    }
}
