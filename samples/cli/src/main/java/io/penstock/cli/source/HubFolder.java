package io.penstock.cli.source;

import io.penstock.store.Store;
import io.penstock.table.Table;
import io.penstock.table.TableFormat;
import io.penstock.table.TableOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A data set in a layout of the Hugging Face Hub: Parquet with pictures in it, or images with a table of metadata beside
 * them, or class folders; all of it with splits. A folder of the hub's local cache is its snapshot of {@code main}.
 *
 * @param root of the snapshot, in the store
 * @param keys in the snapshot, of the split
 * @param metadata the table of metadata, below the snapshot; empty where there is none
 * @see <a href="https://huggingface.co/docs/datasets/image_dataset">the layouts</a>
 */
public record HubFolder(SourceSpec source, Store store, String root, List<String> keys, String split, String metadata) {

    private static final String PARQUET = ".parquet";
    private static final Pattern METADATA = Pattern.compile("(.*/)?metadata\\.(csv|jsonl|parquet)");
    private static final String MAIN = "refs/main";
    private static final int REVISION = 256; // bytes, at most
    private static final String KEY = "file_name";

    /**
     * Lists a folder, which blocks. The split is the one that the source names, else {@code train} if there is one.
     * @param cache the directory of a cache, in which the list of a bucket is kept; null for none
     * @throws IllegalArgumentException if there is no such split
     */
    public static HubFolder open(SourceSpec source, @Nullable Path cache) {
        Store store = source.place().open(cache);
        TreeSet<String> all = new TreeSet<>();
        store.list((key, size, version) -> all.add(key));
        String root = all.contains(MAIN) ? "snapshots/" + revision(store) + "/" : "";
        List<String> keys = all.stream()
                .filter(key -> key.startsWith(root))
                .map(key -> key.substring(root.length()))
                .toList();
        List<String> training = ofSplit(keys, "train");
        String split = source.second().isEmpty() && !training.isEmpty() ? "train" : source.second();
        List<String> chosen = ofSplit(keys, split);
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("%s has no files of a split \"%s\", such as %s/… or %s-0.parquet"
                    .formatted(source.place(), split, split, split));
        }
        String metadata = chosen.stream()
                .filter(key -> METADATA.matcher(key).matches())
                .findFirst()
                .orElse("");
        return new HubFolder(source, store, root, chosen, split, metadata);
    }

    private static String revision(Store store) {
        return store.find(MAIN, REVISION, REVISION)
                .map(bytes -> StandardCharsets.UTF_8.decode(bytes).toString().strip())
                .blockOptional()
                .orElseThrow();
    }

    private static List<String> ofSplit(List<String> keys, String split) {
        Pattern part = Pattern.compile("(.*[/_.-])?" + Pattern.quote(split) + "[/_.-].*");
        return split.isEmpty()
                ? keys
                : keys.stream().filter(key -> part.matcher(key).matches()).toList();
    }

    /** Whether its samples are images in class folders. */
    public boolean isClassFolders() {
        return metadata.isEmpty() && keys.stream().noneMatch(key -> key.endsWith(PARQUET));
    }

    /** The class folders. */
    public SourceSpec classFolders() {
        if (!root.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s is the hub's cache, whose images are links: fetch them with --local-dir"
                            .formatted(source.place()));
        }
        String folder = source.place().text() + (split.isEmpty() ? "" : "/" + split);
        return new SourceSpec(SourceSpec.Kind.IMAGES, new StorePlace(folder), "", 0);
    }

    /** Where its images are, if a table beside them names them: their paths in the store begin so; null else. */
    @Nullable String images() {
        return metadata.isEmpty() ? null : root + folder(metadata);
    }

    /** The rows of its table. Of Parquet with pictures and no columns chosen, those pictures and their labels. */
    public TableRows table() {
        TableColumns columns = source.columns();
        if (!metadata.isEmpty()) {
            return named(metadata, columns);
        }
        List<String> tables = keys.stream().filter(key -> key.endsWith(PARQUET)).toList();
        List<String> folders = tables.stream().map(HubFolder::folder).distinct().toList();
        if (folders.size() > 1) {
            throw new IllegalArgumentException(
                    "%s has tables in several folders, %s: name one of them".formatted(source.place(), folders));
        }
        // a file of the split, or the split's own folder
        boolean named =
                !split.isEmpty() && ofSplit(List.of(folders.get(0)), split).isEmpty();
        String files = root + folders.get(0) + (named ? "*" + split + "*" + PARQUET : "");
        TableRows rows = opened(files, TableFormat.parquet(), columns);
        TableColumns pictures =
                columns.text().isEmpty() ? pictures(rows.schema().names()) : null;
        return pictures == null ? rows : opened(files, TableFormat.parquet(), pictures);
    }

    private TableRows opened(String files, TableFormat format, TableColumns columns) {
        Table table = Table.open(store, files, format, columns.options());
        return new TableRows(table, table.schema(), table.fields(), columns);
    }

    private static String folder(String key) {
        return key.substring(0, key.lastIndexOf('/') + 1);
    }

    private static @Nullable TableColumns pictures(List<String> names) {
        String label = names.contains("label") ? ",label:label" : "";
        return names.stream()
                .filter(name -> name.endsWith(".bytes") && names.contains(name.replaceFirst("bytes$", "path")))
                .findFirst()
                .map(name -> TableColumns.parse(name.replaceFirst("[.]bytes$", ":picture") + label))
                .orElse(null);
    }

    /** With the names of the images first: they are the key. */
    private TableRows named(String table, TableColumns columns) {
        TableFormat format = table.endsWith(".csv")
                ? TableFormat.csv()
                : table.endsWith(PARQUET) ? TableFormat.parquet() : TableFormat.jsonLines();
        Set<String> names = new LinkedHashSet<>(List.of(KEY));
        if (!columns.text().isEmpty()) {
            names.add(columns.text());
        } else if (!table.endsWith("jsonl")) { // whose columns must be named
            names.addAll(Table.open(store, root + table, format, TableOptions.standard())
                    .schema()
                    .names());
        }
        return opened(root + table, format, TableColumns.parse(String.join(",", names)));
    }
}
