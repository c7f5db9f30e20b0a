package io.penstock.cli.watch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Meters in Prometheus' text format, by their families.
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">exposition formats</a>
 */
record Exposition(Map<String, Family> families) {

    private static final Pattern COMMENT = Pattern.compile("# (?:HELP|TYPE) ([a-zA-Z_:][\\w:]{0,999})(?: .*)?");
    private static final Pattern LINE =
            Pattern.compile("([a-zA-Z_:][\\w:]{0,999})(?:\\{(.*)})? ([^ {}]{1,99})(?: -?\\d{1,19})?");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_]\\w{0,999})=\"((?:[^\"\\\\]|\\\\.)*+)\"");

    /** Comments, and the points that belong to them. */
    record Family(List<String> comments, List<Point> points) {}

    record Point(String name, String labels, String value) {

        double number() {
            return value.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(value);
        }

        String label(String wanted) {
            Matcher label = LABEL.matcher(labels);
            while (label.find()) {
                if (label.group(1).equals(wanted)) {
                    return label.group(2);
                }
            }
            return "";
        }

        private String of(String instance) {
            return "%s{instance=\"%s\"%s} %s".formatted(name, instance, labels.isEmpty() ? "" : "," + labels, value);
        }
    }

    /** @throws IllegalArgumentException if the text has another format; it names the line */
    static Exposition parse(String text) {
        Map<String, Family> families = new LinkedHashMap<>();
        String family = "";
        for (String line : text.lines().toList()) {
            Matcher comment = COMMENT.matcher(line);
            if (comment.matches()) {
                family = comment.group(1);
                family(families, family).comments.add(line);
            } else if (!line.isBlank() && !line.startsWith("#")) {
                Point point = point(line);
                if (!point.name.startsWith(family)) {
                    family = point.name;
                }
                family(families, family).points.add(point);
            }
        }
        return new Exposition(families);
    }

    private static Family family(Map<String, Family> families, String name) {
        return families.computeIfAbsent(name, its -> new Family(new ArrayList<>(), new ArrayList<>()));
    }

    private static Point point(String line) {
        Matcher written = LINE.matcher(line);
        try {
            if (written.matches()) {
                String labels = written.group(2) == null ? "" : written.group(2).replaceFirst(",$", "");
                Point point = new Point(written.group(1), labels, written.group(3));
                point.number();
                return point;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new IllegalArgumentException("no meters in Prometheus' format: \"%s\""
                .formatted(line.length() > 80 ? line.substring(0, 80) + "…" : line));
    }

    Stream<Point> points(String name) {
        return families.values().stream()
                .flatMap(family -> family.points.stream())
                .filter(point -> point.name.equals(name));
    }

    double sum(String name) {
        return points(name).mapToDouble(Point::number).sum();
    }

    /** All of several processes as one text; the label {@code instance} tells them apart, as in Prometheus itself. */
    static String merged(Map<String, Exposition> byInstance) {
        Map<String, List<String>> families = new LinkedHashMap<>();
        byInstance.forEach((instance, meters) -> meters.families.forEach((name, family) -> {
            List<String> lines = families.computeIfAbsent(name, its -> new ArrayList<>(family.comments));
            family.points.forEach(point -> lines.add(point.of(instance)));
        }));
        StringBuilder text = new StringBuilder();
        families.values()
                .forEach(lines -> lines.forEach(line -> text.append(line).append('\n')));
        return text.toString();
    }
}
