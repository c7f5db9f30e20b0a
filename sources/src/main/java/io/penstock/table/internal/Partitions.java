package io.penstock.table.internal;

import io.penstock.fault.FormatException;
import io.penstock.table.TableOptions;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The columns that the folders of a table add: {@code year=2024/month=05/a.parquet}. A column whose values are all
 * whole numbers is {@code i64}, another one text. Hive's name for the folder of nulls is a null.
 *
 * @param names  of the columns
 * @param values for each file, in their order
 * @param nulls  for each file the columns that are null, where nothing stands for nulls
 */
public record Partitions(List<String> names, List<List<Tensor>> values, List<List<String>> nulls) {

    private static final String NULL = "__HIVE_DEFAULT_PARTITION__";

    /**
     * Those of files with these keys.
     * @throws FormatException if files have different columns
     */
    public static Partitions of(List<String> keys, TableOptions options) {
        List<Map<String, String>> texts = keys.stream().map(Partitions::texts).toList();
        List<String> names = List.copyOf(texts.get(0).keySet());
        for (int i = 0; i < texts.size(); i++) {
            if (!List.copyOf(texts.get(i).keySet()).equals(names)) {
                throw new FormatException("%s has the partition columns %s, %s has %s"
                        .formatted(keys.get(0), names, keys.get(i), texts.get(i).keySet()));
            }
        }
        List<ColumnType> types = names.stream()
                .map(name ->
                        new ColumnType(name, isNumber(name, texts) ? DType.I64 : DType.U8, 0, !isNumber(name, texts)))
                .toList();
        return new Partitions(
                names,
                texts.stream()
                        .map(each -> types.stream()
                                .map(type -> value(type, each.getOrDefault(type.name(), NULL), options))
                                .toList())
                        .toList(),
                texts.stream()
                        .map(each -> names.stream()
                                .filter(name -> NULL.equals(each.get(name)) && options.fillOf(name) == null)
                                .toList())
                        .toList());
    }

    private static Tensor value(ColumnType type, String text, TableOptions options) {
        if (type.bytes()) {
            return Tensor.utf8(text.equals(NULL) ? "" : text);
        }
        if (!text.equals(NULL)) {
            return Tensor.scalar(Long.parseLong(text));
        }
        Double fill = options.fillOf(type.name());
        String refused = fill == null ? null : type.refuses(fill);
        if (refused != null) {
            throw new FormatException(refused);
        }
        return Tensor.scalar(fill == null ? 0L : fill.longValue());
    }

    /**
     * The values of a file's rows.
     * @throws FormatException if one is null, and there is no value for nulls
     */
    public List<Tensor> of(int file) {
        if (!nulls.get(file).isEmpty()) {
            throw TableGroup.isNull(nulls.get(file).get(0));
        }
        return values.get(file);
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
                        .toList(),
                nulls.stream()
                        .map(each -> each.stream().filter(wanted::contains).toList())
                        .toList());
    }

    private static boolean isNumber(String name, List<Map<String, String>> texts) {
        List<String> known = texts.stream()
                .map(each -> each.getOrDefault(name, NULL))
                .filter(text -> !text.equals(NULL))
                .toList();
        return !known.isEmpty() && known.stream().allMatch(text -> text.matches("-?\\d{1,18}"));
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
