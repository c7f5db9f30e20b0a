package io.penstock.annotation;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * What annotation files say of images.
 *
 * @param classes    names, in the order of their numbers
 * @param images     in the order of the samples
 * @param eachPoints how many numbers the key points of an annotation have
 * @param empty      how many boxes without area were left out
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Annotations(String[] classes, Image[] images, int eachPoints, int empty) {

    /** The category of what needs none. */
    static final long NO_CATEGORY = Long.MIN_VALUE;

    /** One annotation as it was read; the box as x1, y1, x2, y2. */
    record One(long id, long image, long category, boolean crowd, double[] box, float[] points, byte[] bytes) {}

    /**
     * An image and its annotations, in columns: 25 bytes a box, and its key points, segment or text if kept.
     *
     * @param name    of its file
     * @param height  0, as the width, where it is not known
     * @param boxes   of each annotation x1, y1, x2, y2
     * @param labels  of each annotation its class
     * @param crowd   of each annotation whether it is a crowd
     * @param points  of each annotation its key points, as x, y and visibility
     * @param lengths of each annotation how many bytes it has
     * @param bytes   segments as {@link CocoSegments} has them, or texts in UTF-8
     * @param fault   what is wrong with it; empty for nothing
     */
    record Image(
            String name,
            int height,
            int width,
            float[] boxes,
            int[] labels,
            byte[] crowd,
            float[] points,
            int[] lengths,
            byte[] bytes,
            String fault) {

        /** A key of all that is said of it. */
        SampleKey key(SampleKey of) {
            SampleKey key = of.with(height).with(width);
            int each = labels.length == 0 ? 0 : points.length / labels.length;
            for (int i = 0; i < labels.length; i++) {
                key = key.with(pair(boxes, 4 * i)).with(pair(boxes, 4 * i + 2)).with(2L * labels[i] + crowd[i]);
                for (int p = i * each; p < (i + 1) * each; p += 3) {
                    key = key.with(pair(points, p)).with((long) points[p + 2]);
                }
            }
            return labels.length == 0 ? key : key.with(sums());
        }

        /** Two checksums: a hash of 64 bits at the speed of memory. */
        private long sums() {
            CRC32 one = new CRC32();
            CRC32C other = new CRC32C();
            one.update(bytes);
            other.update(bytes);
            return one.getValue() << Integer.SIZE | other.getValue();
        }

        private static long pair(float[] values, int at) {
            return (long) Float.floatToIntBits(values[at]) << Integer.SIZE
                    | Float.floatToIntBits(values[at + 1]) & 0xFFFF_FFFFL;
        }
    }

    /** Collects what a reader finds, in any order, and checks it. Not thread-safe. */
    static final class Builder {

        private final String file;
        private final LongFunction<String> words;
        private final Map<Long, Size> images = new LinkedHashMap<>();
        private final TreeMap<Long, String> categories = new TreeMap<>();
        private final Map<Long, String> faults = new LinkedHashMap<>();
        private final List<One> found = new ArrayList<>();
        private int empty;

        private record Size(String name, int height, int width) {}

        /** @param words what messages call the annotation of an id */
        Builder(String file, LongFunction<String> words) {
            this.file = file;
            this.words = words;
        }

        @SuppressWarnings("AnnotateFormatMethod") // its annotation is in a library of its own
        FormatException broken(String message, Object... values) {
            return new FormatException(file + ": " + message.formatted(values));
        }

        void image(long id, String name, int height, int width) {
            if (images.putIfAbsent(id, new Size(name, height, width)) != null) {
                throw broken("two images have the id %d, the second is %s", id, name);
            }
        }

        void category(long id, String name) {
            if (categories.putIfAbsent(id, name) != null) {
                throw broken("two categories have the id %d, the second is \"%s\"", id, name);
            }
        }

        /** Says that an image cannot be used: loading it fails, and other images do not. */
        void fault(long image, String what) {
            faults.putIfAbsent(image, what);
        }

        /** Adds one. A box that is no box is a fault of its image, and one without area is left out. */
        void add(One one) {
            double[] box = one.box;
            double width = box[2] - box[0];
            double height = box[3] - box[1];
            int each = (found.isEmpty() ? one : found.get(0)).points.length; // as the first one has
            if (!Double.isFinite(box[0] + box[1] + box[2] + box[3]) || Math.max(width, height) > 1e9) {
                fault(one, "a box from %s, %s to %s, %s".formatted(box[0], box[1], box[2], box[3]));
            } else if (width < 0 || height < 0) {
                fault(one, "a box of %s x %s".formatted(width, height));
            } else if (one.points.length != each) {
                fault(one, "%d key points, others %d".formatted(one.points.length / 3, each / 3));
            } else if ((float) box[2] <= (float) box[0] || (float) box[3] <= (float) box[1]) {
                empty++;
            } else {
                found.add(one);
            }
        }

        private void fault(One one, String what) {
            fault(one.image, words.apply(one.id) + " has " + what);
        }

        /** @throws FormatException if there is no image, or an annotation is of no image, or has an id twice */
        Annotations build() {
            if (images.isEmpty()) {
                throw broken("has no images");
            }
            faults.forEach((image, what) -> size(image, () -> what));
            Map<Long, Integer> numbers = new HashMap<>();
            categories.keySet().forEach(id -> numbers.put(id, numbers.size()));
            Set<Long> ids = new HashSet<>(2 * found.size());
            for (One one : found) {
                Size size = size(one.image, () -> words.apply(one.id));
                if (!ids.add(one.id)) {
                    throw broken("two annotations have the id %d", one.id);
                }
                String fault = fault(one, size, numbers);
                if (!fault.isEmpty()) {
                    fault(one, fault);
                }
            }
            Map<Long, List<One>> byImage = found.stream().collect(Collectors.groupingBy(One::image));
            List<Image> made = new ArrayList<>();
            images.forEach((id, size) ->
                    made.add(image(size, byImage.getOrDefault(id, List.of()), numbers, faults.getOrDefault(id, ""))));
            return new Annotations(
                    categories.values().toArray(String[]::new),
                    made.toArray(Image[]::new),
                    found.isEmpty() ? 0 : found.get(0).points.length,
                    empty);
        }

        private Size size(long image, Supplier<String> what) {
            Size size = images.get(image);
            if (size == null) {
                throw broken("%s is of image %d, which is not in it", what.get(), image);
            }
            return size;
        }

        /** What is wrong with one beside its image and the categories; empty for nothing. */
        private static String fault(One one, Size size, Map<Long, Integer> numbers) {
            double[] box = one.box;
            if (one.category == NO_CATEGORY) {
                return "";
            }
            if (!numbers.containsKey(one.category)) {
                return "the category %d, which is none".formatted(one.category);
            }
            boolean outside = box[0] >= size.width || box[1] >= size.height || box[2] <= 0 || box[3] <= 0;
            if (size.height > 0 && outside) {
                return "a box from %s, %s to %s, %s, outside its image of %d x %d"
                        .formatted(box[0], box[1], box[2], box[3], size.width, size.height);
            }
            return CocoSegments.fits(one.bytes, size.height, size.width)
                    ? ""
                    : "a mask of another size than its image of %d x %d".formatted(size.width, size.height);
        }

        private static Image image(Size of, List<One> ones, Map<Long, Integer> numbers, String fault) {
            int count = ones.size();
            int each = count == 0 ? 0 : ones.get(0).points.length;
            float[] boxes = new float[4 * count];
            int[] labels = new int[count];
            byte[] crowd = new byte[count];
            float[] points = new float[each * count];
            int[] lengths = new int[count];
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int i = 0; i < count; i++) {
                One one = ones.get(i);
                for (int edge = 0; edge < 4; edge++) {
                    boxes[4 * i + edge] = (float) one.box[edge];
                }
                labels[i] = numbers.getOrDefault(one.category, 0);
                crowd[i] = (byte) (one.crowd ? 1 : 0);
                System.arraycopy(one.points, 0, points, each * i, each);
                lengths[i] = one.bytes.length;
                bytes.writeBytes(one.bytes);
            }
            return new Image(
                    of.name, of.height, of.width, boxes, labels, crowd, points, lengths, bytes.toByteArray(), fault);
        }
    }
}
