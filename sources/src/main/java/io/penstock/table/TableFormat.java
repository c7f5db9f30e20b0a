package io.penstock.table;

import io.penstock.internal.OptionalLibrary;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.StoreFiles;
import io.penstock.table.internal.TableFile;
import io.penstock.table.internal.arrow.ArrowTableFile;
import io.penstock.table.internal.delimited.DelimitedFile;
import io.penstock.table.internal.parquet.ParquetFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the files of a table are found and opened. Openers are no method references, which would load the classes of each
 * library for other formats too.
 *
 * @param id     part of the keys of rows
 * @param what   the files, for errors
 * @param group  what a group of rows is called
 * @param ends   of the names of files in a folder
 * @param opener opens one of them
 */
record TableFormat(String id, String what, String group, List<String> ends, Opener opener) {

    static final TableFormat PARQUET = new TableFormat(
            "parquet 1", "Parquet files", "row group", List.of(".parquet"), (files, entry, wanted, options) -> {
                OptionalLibrary.PARQUET.require("a Parquet file", Table.class);
                return ParquetFile.open(files, entry, wanted, options);
            });

    static final TableFormat ARROW = new TableFormat(
            "arrow 1",
            "Arrow files",
            "record batch",
            List.of(".arrow", ".arrows", ".feather", ".ipc"),
            (files, entry, wanted, options) -> {
                OptionalLibrary.ARROW.require("an Arrow file", Table.class);
                return ArrowTableFile.open(files, entry, wanted, options);
            });

    /** Opens a file with some columns; all if none are named. */
    @FunctionalInterface
    interface Opener {
        TableFile open(StoreFiles files, StoreEntry entry, List<String> wanted, TableOptions options);
    }

    static TableFormat csv(@Nullable Path index) {
        return new TableFormat(
                "csv 1",
                "CSV files",
                "group",
                List.of(".csv", ".csv.gz", ".csv.zst", ".tsv", ".tsv.gz", ".tsv.zst"),
                (files, entry, wanted, options) -> DelimitedFile.openCsv(files, entry, index, wanted, options));
    }

    static TableFormat json(@Nullable Path index) {
        return new TableFormat(
                "json lines 1",
                "JSON lines",
                "group",
                List.of(".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson"),
                (files, entry, wanted, options) -> DelimitedFile.openJson(files, entry, index, wanted, options));
    }

    private boolean has(String name) {
        return !name.startsWith("_") && !name.startsWith(".") && ends.stream().anyMatch(name::endsWith);
    }

    StoreFiles files(Path path) {
        return Files.isDirectory(path) ? StoreFiles.below(what, path, this::has) : StoreFiles.of(what, path);
    }

    StoreFiles files(Store store, String keyOrPattern) {
        boolean folder = keyOrPattern.isEmpty() || keyOrPattern.endsWith("/");
        return folder
                ? StoreFiles.below(what, store, keyOrPattern, this::has)
                : StoreFiles.of(what, store, keyOrPattern);
    }
}
