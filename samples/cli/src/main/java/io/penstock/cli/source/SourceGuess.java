package io.penstock.cli.source;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Which kind of source a path without one probably is. */
final class SourceGuess {

    private static final Map<String, String> KINDS = Map.ofEntries(
            Map.entry("tar", "tar:"),
            Map.entry("txt", "text:"),
            Map.entry("jsonl", "jsonl:"),
            Map.entry("arrow", "arrow:"),
            Map.entry("feather", "arrow:"),
            Map.entry("csv", "csv:"),
            Map.entry("tsv", "csv:"),
            Map.entry("h5", "hdf5:"),
            Map.entry("hdf5", "hdf5:"),
            Map.entry("nc", "hdf5:"),
            Map.entry("npy", "npy:"),
            Map.entry("npz", "npz:"),
            Map.entry("parquet", "parquet:"),
            Map.entry("tfrecord", "tfrecord:"));

    private SourceGuess() {}

    /** With its kind before it: by what a folder holds, or by the end of a name; empty if neither says. */
    static String of(String text) {
        try {
            Path path = Path.of(text);
            if (!text.isEmpty() && Files.isDirectory(path)) {
                boolean zarr = Files.exists(path.resolve("zarr.json"))
                        || Files.exists(path.resolve(".zgroup"))
                        || Files.exists(path.resolve(".zarray"));
                boolean mds = Files.exists(path.resolve("index.json"));
                return (zarr ? "zarr:" : mds ? "mds:" : "images:") + text;
            }
        } catch (InvalidPathException e) {
            return ""; // no folder has such a name
        }
        String kind = KINDS.get(text.substring(text.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
        return kind == null ? "" : kind + text;
    }
}
