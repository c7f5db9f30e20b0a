package io.penstock.annotation;

import io.penstock.fault.FormatException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads labels of YOLO's form: a line an object, its class, then the centre and the size of its box as shares. */
final class YoloFiles {

    private static final Pattern INLINE = Pattern.compile("names\\s*:\\s*\\[(.*)]\\s*");
    private static final Pattern NAMED = Pattern.compile("\\s*(?:-|['\"]?(\\d{1,6})['\"]?\\s*:)\\s+(.+)");

    private YoloFiles() {}

    /** The objects of a text; a line of more numbers is a polygon, whose box is the smallest around it. */
    static VocFiles.Scene read(byte[] text, List<String> classes) {
        List<VocFiles.Thing> found = new ArrayList<>();
        int number = 0;
        for (String line : AnnotationReading.text(text).split("\n", -1)) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            String[] words = line.strip().split("\\s+", -1);
            double category = VocFiles.number(words[0]);
            double[] numbers =
                    Arrays.stream(words).skip(1).mapToDouble(VocFiles::number).toArray();
            double[] box = words.length == 5 ? box(numbers) : around(numbers);
            boolean shares = words.length == 5 || words.length >= 7 && words.length % 2 == 1;
            shares &= Arrays.stream(box).allMatch(edge -> edge >= -0.01 && edge <= 1.01); // beyond one of six decimals
            shares &= box[0] <= box[2] && box[1] <= box[3];
            if (!shares || category != (int) category || category < 0 || category >= classes.size()) {
                throw new FormatException(
                        "line %d is not one of %d classes and a box or polygon within the image: \"%.80s\""
                                .formatted(number, classes.size(), line.strip()));
            }
            found.add(new VocFiles.Thing(classes.get((int) category), box));
        }
        return new VocFiles.Scene(0, 0, found, "");
    }

    private static double[] box(double[] numbers) {
        double x = numbers[2] / 2;
        double y = numbers[3] / 2;
        return new double[] {numbers[0] - x, numbers[1] - y, numbers[0] + x, numbers[1] + y};
    }

    /** Math's functions keep NaN. */
    private static double[] around(double[] polygon) {
        double[] box = {Double.MAX_VALUE, Double.MAX_VALUE, -Double.MAX_VALUE, -Double.MAX_VALUE};
        for (int i = 0; i < polygon.length; i++) {
            box[i % 2] = Math.min(box[i % 2], polygon[i]);
            box[i % 2 + 2] = Math.max(box[i % 2 + 2], polygon[i]);
        }
        return box;
    }

    /** The names of classes: a line each of a text, or {@code names} of YOLO's YAML as a list or with numbers. */
    static List<String> names(String file, List<String> lines) {
        TreeMap<Integer, String> names = new TreeMap<>();
        if (file.endsWith(".txt")) {
            lines.forEach(line -> names.put(names.size(), line.strip()));
        }
        boolean inNames = false;
        for (String line : file.endsWith(".txt") ? List.<String>of() : lines) {
            Matcher inline = INLINE.matcher(line);
            Matcher named = NAMED.matcher(line);
            if (inline.matches()) {
                for (String name : inline.group(1).split(",", -1)) {
                    names.put(names.size(), bare(name));
                }
            } else if (inNames && named.matches()) {
                names.put(
                        named.group(1) == null ? names.size() : Integer.parseInt(named.group(1)), bare(named.group(2)));
            } else {
                inNames = line.matches("names\\s*:\\s*(#.*)?")
                        || inNames && line.strip().startsWith("#");
            }
        }
        boolean twins = Set.copyOf(names.values()).size() < names.size();
        if (names.isEmpty() || names.lastKey() != names.size() - 1 || twins) {
            throw new FormatException("%s has no names of classes, one twice, or a gap: %s".formatted(file, names));
        }
        return List.copyOf(names.values());
    }

    private static String bare(String name) {
        return name.replaceFirst("\\s+#.*$", "").strip().replaceFirst("^(['\"])(.*)\\1$", "$2");
    }
}
