package io.penstock.table.internal;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Tensor;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The columns that the folders of a table add: {@code year=2024/month=05/a.parquet}. A column whose values are all
 * whole numbers is {@code i64}, another one text.
 *
 * @param names  of the columns
 * @param values for each file, in their order
 */
public record Partitions(List<String> names, List<List<Tensor>> values) {

    /**
     * Those of files with these keys.
     * @throws FormatException if files have different columns
     */
    public static Partitions of(List<String> keys) {
        List<Map<String, String>> texts = keys.stream().map(Partitions::texts).toList();
        List<String> names = List.copyOf(texts.get(0).keySet());
        for (int i = 0; i < texts.size(); i++) {
            if (!List.copyOf(texts.get(i).keySet()).equals(names)) {
                throw new FormatException("%s has the partition columns %s, %s has %s"
                        .formatted(keys.get(0), names, keys.get(i), texts.get(i).keySet()));
            }
        }
        List<List<Tensor>> values = new ArrayList<>();
        for (Map<String, String> each : texts) {
            values.add(each.entrySet().stream()
                    .map(entry -> isNumber(entry.getKey(), texts)
                            ? Tensor.scalar(Long.parseLong(entry.getValue()))
                            : Tensor.utf8(entry.getValue()))
                    .toList());
        }
        return new Partitions(names, values);
    }

    /** Those of them that are among some names; all if there are no names. */
    public Partitions only(List<String> wanted) {
        if (wanted.isEmpty()) {
            return this;
        }
        int[] kept = IntStream.range(0, names.size())
                .filter(i -> wanted.contains(names.get(i)))
                .toArray();
        return new Partitions(
                IntStream.of(kept).mapToObj(names::get).toList(),
                values.stream()
                        .map(each -> IntStream.of(kept).mapToObj(each::get).toList())
                        .toList());
    }

    private static boolean isNumber(String name, List<Map<String, String>> texts) {
        return texts.stream().map(each -> each.getOrDefault(name, "")).allMatch(text -> text.matches("-?\\d{1,18}"));
    }

    private static Map<String, String> texts(String key) {
        Map<String, String> texts = new LinkedHashMap<>();
        String[] folders = key.split("/", -1);
        for (int i = 0; i + 1 < folders.length; i++) {
            int equals = folders[i].indexOf('=');
            if (equals > 0) {
                texts.put(folders[i].substring(0, equals), decoded(folders[i].substring(equals + 1)));
            }
        }
        return texts;
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value; // a percent sign of its own
        }
    }
}
