package io.penstock.table;

import io.penstock.internal.Arguments;
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

/** How the files of a table are written. */
public final class TableFormat {

    // lambdas, since method references would load the classes of each library for other formats too
    private static final TableFormat PARQUET = new TableFormat(
            new Kind(
                    "parquet 1",
                    "Parquet files",
                    "row group",
                    List.of(".parquet"),
                    (files, entry, index, wanted, options) -> {
                        OptionalLibrary.PARQUET.require("a Parquet file", Table.class);
                        return ParquetFile.open(files, entry, wanted, options);
                    }),
            null);

    private static final TableFormat ARROW = new TableFormat(
            new Kind(
                    "arrow 1",
                    "Arrow files",
                    "record batch",
                    List.of(".arrow", ".arrows", ".feather", ".ipc"),
                    (files, entry, index, wanted, options) -> {
                        OptionalLibrary.ARROW.require("an Arrow file", Table.class);
                        return ArrowTableFile.open(files, entry, wanted, options);
                    }),
            null);

    private static final TableFormat CSV = new TableFormat(
            new Kind(
                    "csv 1",
                    "CSV files",
                    "group",
                    List.of(".csv", ".csv.gz", ".csv.zst", ".tsv", ".tsv.gz", ".tsv.zst"),
                    DelimitedFile::openCsv),
            null);

    private static final TableFormat JSON_LINES = new TableFormat(
            new Kind(
                    "json lines 1",
                    "JSON lines",
                    "group",
                    List.of(".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson"),
                    DelimitedFile::openJson),
            null);

    private final Kind kind;
    private final @Nullable Path index;

    /**
     * One for each format.
     *
     * @param id     part of the keys of rows
     * @param files  what they are, for errors
     * @param group  what a group of rows is called
     * @param ends   of the names of files in a folder
     */
    private record Kind(String id, String files, String group, List<String> ends, Opener opener) {}

    @FunctionalInterface
    private interface Opener {
        TableFile open(
                StoreFiles files, StoreEntry entry, @Nullable Path index, List<String> wanted, TableOptions options);
    }

    private TableFormat(Kind kind, @Nullable Path index) {
        this.kind = kind;
        this.index = index;
    }

    /** Parquet; in a folder, files whose names end in {@code .parquet}. */
    public static TableFormat parquet() {
        return PARQUET;
    }

    /** Arrow IPC files and streams, and Feather version 2. A record batch is what a row group is in Parquet. */
    public static TableFormat arrow() {
        return ARROW;
    }

    /**
     * CSV. The first record has the names of the columns. A column is text unless {@link TableOptions#type} says its type.
     * Names that end in {@code .tsv} have tabs for commas.
     *
     * <p>A record fails alone, when it is loaded, if it has another number of cells than the header, text behind a quote that
     * closes, or bytes that are not UTF-8 in any of its cells. A file with a quote that nothing closes, or with a header
     * that is not UTF-8, is refused.
     */
    public static TableFormat csv() {
        return CSV;
    }

    /**
     * JSON lines, of which the columns must be named. A field is text unless {@link TableOptions#type} says its type, and
     * {@link TableOptions#lists} that it has lists. The fields of an object within another have a point in their names. A
     * field that is not there is null.
     *
     * <p>A line fails alone, when it is loaded, if it is no object, or damaged, or has a name twice in one object, or half of
     * a surrogate pair, also in fields that are not chosen.
     */
    public static TableFormat jsonLines() {
        return JSON_LINES;
    }

    /**
     * With a folder for the index of records and for decompressed files, instead of memory.
     * @throws IllegalArgumentException for Parquet and Arrow, which have their index within
     */
    public TableFormat index(Path folder) {
        Arguments.refuse(
                this == PARQUET || this == ARROW, "%s have their index within: leave out the folder", kind.files);
        return new TableFormat(kind, folder);
    }

    boolean namesColumns() {
        return !kind.equals(JSON_LINES.kind);
    }

    /** Part of the keys of rows. */
    String id() {
        return kind.id;
    }

    /** What a group of rows is called. */
    String group() {
        return kind.group;
    }

    StoreFiles files(Path path) {
        return Files.isDirectory(path)
                ? StoreFiles.below(kind.files, path, kind.ends)
                : StoreFiles.of(kind.files, path);
    }

    StoreFiles files(Store store, String keyOrPattern) {
        boolean folder = keyOrPattern.isEmpty() || keyOrPattern.endsWith("/");
        return folder
                ? StoreFiles.below(kind.files, store, keyOrPattern, kind.ends)
                : StoreFiles.of(kind.files, store, keyOrPattern);
    }

    /** Opens a file with some columns; all if none are named. */
    TableFile open(StoreFiles files, StoreEntry entry, List<String> wanted, TableOptions options) {
        return kind.opener.open(files, entry, index, wanted, options);
    }
}
