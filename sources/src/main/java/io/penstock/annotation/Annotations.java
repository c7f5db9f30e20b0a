package io.penstock.annotation;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What annotation files say of images, in columns: 25 bytes a box, and its key points, segment or text if kept.
 *
 * @param classes names, in the order of their numbers
 * @param images  the names of the images' files
 * @param sizes   of each image its height and its width; 0 where they are not known
 * @param starts  of each image its first annotation, and the number of all
 * @param boxes   of each annotation x1, y1, x2, y2
 * @param labels  of each annotation its class
 * @param crowd   of each annotation whether it is a crowd
 * @param points  of each annotation its key points, as x, y and visibility
 * @param eachPoints how many numbers an annotation has in {@code points}
 * @param ends    of each annotation the end of its bytes
 * @param bytes   segments as {@link CocoSegments} has them, or texts in UTF-8
 * @param faults  what is wrong with an image, by its number
 * @param empty   how many boxes without area were left out
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Annotations(
        String[] classes,
        String[] images,
        int[] sizes,
        int[] starts,
        float[] boxes,
        int[] labels,
        byte[] crowd,
        float[] points,
        int eachPoints,
        int[] ends,
        byte[] bytes,
        TreeMap<Integer, String> faults,
        int empty) {

    /** The category of what needs none. */
    static final long NO_CATEGORY = Long.MIN_VALUE;

    /** One annotation as it was read; the box as x1, y1, x2, y2. */
    record One(long id, long image, long category, boolean crowd, double[] box, float[] points, byte[] bytes) {}

    /** Where the bytes of an annotation begin. */
    int start(int annotation) {
        return annotation == 0 ? 0 : ends[annotation - 1];
    }

    /** A key of all that is said of an image. */
    SampleKey key(int image, SampleKey of) {
        SampleKey key = of.with(sizes[2 * image]).with(sizes[2 * image + 1]);
        for (int i = starts[image]; i < starts[image + 1]; i++) {
            key = key.with(pair(boxes[4 * i], boxes[4 * i + 1]))
                    .with(pair(boxes[4 * i + 2], boxes[4 * i + 3]))
                    .with(2L * labels[i] + crowd[i]);
            for (int p = i * eachPoints; p < (i + 1) * eachPoints; p += 3) {
                key = key.with(pair(points[p], points[p + 1])).with((long) points[p + 2]);
            }
        }
        return starts[image] == starts[image + 1] ? key : key.with(sums(starts[image], starts[image + 1]));
    }

    /** Two checksums over the bytes of neighbouring annotations: a hash of 64 bits at the speed of memory. */
    private long sums(int from, int to) {
        CRC32 one = new CRC32();
        CRC32C other = new CRC32C();
        one.update(bytes, start(from), ends[to - 1] - start(from));
        other.update(bytes, start(from), ends[to - 1] - start(from));
        return one.getValue() << Integer.SIZE | other.getValue();
    }

    private static long pair(float first, float second) {
        return (long) Float.floatToIntBits(first) << Integer.SIZE | Float.floatToIntBits(second) & 0xFFFF_FFFFL;
    }

    /** Collects what a reader finds, in any order, and checks it. Not thread-safe. */
    static final class Builder {

        private final String file;
        private final boolean byName;
        private final List<String> images = new ArrayList<>();
        private final List<int[]> sizes = new ArrayList<>();
        private final Map<Long, Integer> imageOfId = new HashMap<>();
        private final TreeMap<Long, String> categories = new TreeMap<>();
        private final List<Fault> faults = new ArrayList<>();
        private final List<One> found = new ArrayList<>();
        private int empty;

        private record Fault(long image, String words) {}

        /** @param byName whether classes are numbered in the order of their names, not of their ids */
        Builder(String file, boolean byName) {
            this.file = file;
            this.byName = byName;
        }

        @SuppressWarnings("AnnotateFormatMethod") // its annotation is in a library of its own
        FormatException broken(String words, Object... values) {
            return new FormatException(file + ": " + words.formatted(values));
        }

        void image(long id, String name, int height, int width) {
            if (imageOfId.putIfAbsent(id, images.size()) != null) {
                throw broken("two images have the id %d, the second is %s", id, name);
            }
            images.add(name);
            sizes.add(new int[] {height, width});
        }

        void category(long id, String name) {
            if (categories.putIfAbsent(id, name) != null) {
                throw broken("two categories have the id %d, the second is \"%s\"", id, name);
            }
        }

        /** Says that an image cannot be used: loading it fails, and other images do not. */
        void fault(long image, String words) {
            faults.add(new Fault(image, words));
        }

        /**
         * Adds one. A box that is no box is a fault of its image, and one without area is left out.
         * @param where for messages: its file and number
         */
        void add(One one, String where) {
            double[] box = one.box;
            double width = box[2] - box[0];
            double height = box[3] - box[1];
            int each = found.isEmpty() ? one.points.length : found.get(0).points.length;
            if (!Double.isFinite(box[0] + box[1] + box[2] + box[3]) || Math.max(width, height) > 1e9) {
                fault(one.image, "%s has a box from %s, %s to %s, %s".formatted(where, box[0], box[1], box[2], box[3]));
            } else if (width < 0 || height < 0) {
                fault(one.image, "%s has a box of %s x %s".formatted(where, width, height));
            } else if (one.points.length != each) {
                fault(one.image, "%s has %d key points, others %d".formatted(where, one.points.length / 3, each / 3));
            } else if ((float) box[2] <= (float) box[0] || (float) box[3] <= (float) box[1]) {
                empty++;
            } else {
                found.add(one);
            }
        }

        /** @throws FormatException if there is no image, or an annotation is of no image, or has an id twice */
        Annotations build() {
            if (images.isEmpty()) {
                throw broken("has no images");
            }
            List<Long> order = new ArrayList<>(categories.keySet());
            if (byName) {
                order.sort(Comparator.comparing(id -> String.valueOf(categories.get(id))));
            }
            Map<Long, Integer> numbers = new HashMap<>();
            order.forEach(id -> numbers.put(id, numbers.size()));
            TreeMap<Integer, String> faulty = new TreeMap<>();
            faults.forEach(fault -> faulty.putIfAbsent(image(fault.image, fault.words), fault.words));
            Set<Long> ids = new HashSet<>(2 * found.size());
            int[] starts = new int[images.size() + 1];
            long length = 0;
            for (One one : found) {
                int image = image(one.image, "annotation " + one.id);
                starts[image + 1]++;
                length += one.bytes.length;
                if (!ids.add(one.id)) {
                    throw broken("two annotations have the id %d", one.id);
                }
                String fault = fault(one, numbers, sizes.get(image));
                if (!fault.isEmpty()) {
                    String number = byName ? "object " + (int) one.id : "annotation " + one.id;
                    faulty.putIfAbsent(image, number + " has " + fault);
                }
            }
            for (int i = 1; i < starts.length; i++) {
                starts[i] += starts[i - 1];
            }
            if (length > Integer.MAX_VALUE - 8) {
                throw broken("its segments take more than 2 GiB; read fewer images, or no masks");
            }
            String[] classes = order.stream().map(categories::get).toArray(String[]::new);
            return columns(classes, numbers, starts, (int) length, faulty);
        }

        /** What is wrong with one beside its image and the categories; empty for nothing. */
        private static String fault(One one, Map<Long, Integer> numbers, int[] size) {
            double[] box = one.box;
            if (one.category == NO_CATEGORY) {
                return "";
            }
            if (!numbers.containsKey(one.category)) {
                return "the category %d, which is none".formatted(one.category);
            }
            if (size[0] > 0 && (box[0] >= size[1] || box[1] >= size[0] || box[2] <= 0 || box[3] <= 0)) {
                return "a box from %s, %s to %s, %s, outside its image of %d x %d"
                        .formatted(box[0], box[1], box[2], box[3], size[1], size[0]);
            }
            return CocoSegments.fits(one.bytes, size[0], size[1])
                    ? ""
                    : "a mask of another size than its image of %d x %d".formatted(size[1], size[0]);
        }

        private int image(long id, String what) {
            @Nullable Integer image = imageOfId.get(id);
            if (image == null) {
                throw broken("%s is of image %d, which is not in it", what, id);
            }
            return image;
        }

        @SuppressWarnings("NonApiType") // as Kryo keeps it
        private Annotations columns(
                String[] classes,
                Map<Long, Integer> numbers,
                int[] starts,
                int length,
                TreeMap<Integer, String> faulty) {
            int count = found.size();
            int each = count == 0 ? 0 : found.get(0).points.length;
            One[] sorted = new One[count];
            int[] next = starts.clone();
            found.forEach(one -> sorted[next[image(one.image, "it")]++] = one);
            Annotations made = new Annotations(
                    classes,
                    images.toArray(String[]::new),
                    sizes.stream().flatMapToInt(Arrays::stream).toArray(),
                    starts,
                    new float[4 * count],
                    new int[count],
                    new byte[count],
                    new float[Math.multiplyExact(each, count)],
                    each,
                    new int[count],
                    new byte[length],
                    faulty,
                    empty);
            for (int i = 0; i < count; i++) {
                One one = sorted[i];
                for (int edge = 0; edge < 4; edge++) {
                    made.boxes[4 * i + edge] = (float) one.box[edge];
                }
                made.labels[i] = numbers.getOrDefault(one.category, 0);
                made.crowd[i] = (byte) (one.crowd ? 1 : 0);
                System.arraycopy(one.points, 0, made.points, each * i, each);
                System.arraycopy(one.bytes, 0, made.bytes, made.start(i), one.bytes.length);
                made.ends[i] = made.start(i) + one.bytes.length;
            }
            return made;
        }
    }
}
