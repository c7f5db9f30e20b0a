package io.penstock.cli.source;

import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.store.s3.S3Address;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where samples come from, as {@code --source} says it. */
public sealed interface SourceSpec {

    /** To one host, of the client that reads what is elsewhere: as many as {@code HttpOptions} has unless told. */
    int CONNECTIONS = 64;

    Pattern REMOTE = Pattern.compile("=(https?|s3)://");

    /** Whether it is read over HTTP or from a bucket. */
    default boolean isRemote() {
        return REMOTE.matcher(toString()).find();
    }

    /**
     * Class folders of images in a folder or a zip, or a manifest of images at an HTTP address.
     *
     * @param depth the levels of folders above the classes
     */
    record Images(StorePlace place, int depth) implements SourceSpec {
        @Override
        public String words() {
            return (place.isHttp() ? "http:" : "images:") + place;
        }

        @Override
        public Images mirroredIn(DiskSpec mirror) {
            return new Images(place.folderMirroredIn(mirror), depth);
        }
    }

    /** A file of records of one length. */
    record Records(StorePlace place, int recordBytes) implements SourceSpec {
        @Override
        public String words() {
            return "records:%s,%d".formatted(place, recordBytes);
        }

        @Override
        public Records mirroredIn(DiskSpec mirror) {
            return new Records(place.mirroredIn(mirror), recordBytes);
        }
    }

    /** The rows of an array in a Zarr store. */
    record Zarr(StorePlace store, String path) implements SourceSpec {
        @Override
        public String words() {
            return "zarr:%s#%s".formatted(store, path);
        }

        @Override
        public Zarr mirroredIn(DiskSpec mirror) {
            return new Zarr(store.folderMirroredIn(mirror), path);
        }
    }

    /** The samples of tar shards. */
    record Tar(StorePlace shards) implements SourceSpec {
        @Override
        public String words() {
            return "tar:" + shards;
        }

        @Override
        public Tar mirroredIn(DiskSpec mirror) {
            return new Tar(shards.mirroredIn(mirror));
        }
    }

    /** The lines of text files, or those of JSON lines as they are. */
    record Lines(StorePlace files, boolean json) implements SourceSpec {
        @Override
        public String words() {
            return (json ? "jsonl:" : "text:") + files;
        }

        @Override
        public Lines mirroredIn(DiskSpec mirror) {
            return new Lines(files.mirroredIn(mirror), json);
        }
    }

    /**
     * The rows of an array in a file of its own, or in an archive of several.
     *
     * @param name of the array in an npz archive; empty where the file is none, or has one array
     */
    record Array(StorePlace file, String name, boolean idx) implements SourceSpec {
        @Override
        public String words() {
            return (idx ? "idx:" : "npy:") + file + (name.isEmpty() ? "" : "#" + name);
        }

        @Override
        public Array mirroredIn(DiskSpec mirror) {
            return new Array(file.mirroredIn(mirror), name, idx);
        }
    }

    /**
     * The rows of a table, or of several arrays.
     *
     * @param kind its format
     */
    record Rows(Kind kind, StorePlace files, TableColumns columns) implements SourceSpec {

        /** Formats of tables. */
        public enum Kind {
            PARQUET,
            ARROW,
            CSV,
            JSONL,
            TFRECORD,
            MDS,
            NPZ
        }

        private static Rows parse(Kind kind, String rest) {
            int hash = rest.lastIndexOf('#');
            return hash < 0
                    ? new Rows(kind, new StorePlace(rest), TableColumns.parse(""))
                    : new Rows(
                            kind,
                            new StorePlace(rest.substring(0, hash)),
                            TableColumns.parse(rest.substring(hash + 1)));
        }

        @Override
        public String words() {
            String chosen = columns.text().isEmpty() ? "" : "#" + columns.text();
            return kind.name().toLowerCase(Locale.ROOT) + ":" + files + chosen;
        }

        @Override
        public Rows mirroredIn(DiskSpec mirror) {
            return new Rows(kind, files.mirroredIn(mirror), columns);
        }
    }

    /** What a flag says for it; of an address without its query, since it is printed. */
    String words();

    /** The same, read from copies of its files in a folder, which are made when they are first read. */
    SourceSpec mirroredIn(DiskSpec mirror);

    /** The same sources, read from copies if there is a mirror. */
    static List<SourceSpec> mirrored(List<SourceSpec> sources, @Nullable DiskSpec mirror) {
        return mirror == null
                ? sources
                : sources.stream().map(source -> source.mirroredIn(mirror)).toList();
    }

    /** With the levels of folders above the classes as a flag says them, if it does. */
    default SourceSpec withDepth(@Nullable Integer depth) {
        if (depth == null) {
            return this;
        }
        if (this instanceof Images images) {
            return new Images(images.place(), depth);
        }
        throw new IllegalArgumentException(
                "--depth is for images: it says how many levels of folders are above the classes");
    }

    String KNOWN = "the sources are images:DIR, records:FILE,SIZE, zarr:STORE#ARRAY, tar:FILES, http:MANIFEST, "
            + "text:FILES, jsonl:FILES, jsonl:FILES#FIELDS, csv:FILES#COLUMNS, npy:FILE, npy:ARCHIVE.npz#ARRAY, "
            + "npz:FILE#ARRAYS, idx:FILE, parquet:FILES#COLUMNS, arrow:FILES#COLUMNS, tfrecord:FILES#FEATURES "
            + "and mds:DIR#COLUMNS";

    /**
     * Reads what follows {@code --source}.
     * @throws IllegalArgumentException if there is no such source
     */
    static SourceSpec parse(String text) {
        if (text.startsWith("http://") || text.startsWith("https://")) {
            return new Images(new StorePlace(text), 0);
        }
        if (S3Address.isOne(text)) {
            return new Images(new StorePlace(text), 0);
        }
        int colon = text.indexOf(':');
        String kind = colon < 0 ? "" : text.substring(0, colon);
        String rest = text.substring(colon + 1);
        if (rest.isBlank()) {
            throw new IllegalArgumentException("a source needs a place, was \"" + text + "\"; " + KNOWN);
        }
        if (kind.isEmpty()) {
            throw new IllegalArgumentException(withoutKind(text));
        }
        Function<String, SourceSpec> reader = Reader.KINDS.get(kind);
        if (reader == null) {
            throw new IllegalArgumentException("there is no such source: \"" + text + "\"; " + KNOWN);
        }
        return reader.apply(rest);
    }

    private static String withoutKind(String text) {
        String guess = SourceGuess.of(text);
        return "a source needs its kind before its place"
                + (guess.isEmpty() ? ", such as images:%s; ".formatted(text) : ": did you mean %s? ".formatted(guess))
                + KNOWN;
    }

    /** Lines as they are, unless fields are named. */
    private static SourceSpec jsonLines(String rest) {
        return rest.indexOf('#') < 0 ? new Lines(new StorePlace(rest), true) : Rows.parse(Rows.Kind.JSONL, rest);
    }

    /** Only an archive's name is followed by that of an array: # may stand in the name of a file. */
    private static Array npy(String rest) {
        int hash = rest.lastIndexOf(".npz#");
        return hash < 0
                ? new Array(new StorePlace(rest), "", false)
                : new Array(new StorePlace(rest.substring(0, hash + 4)), rest.substring(hash + 5), false);
    }

    private static Images manifest(String rest) {
        StorePlace place = new StorePlace(rest);
        if (!place.isHttp()) {
            throw new IllegalArgumentException(
                    "a manifest is at an address that begins with http:// or https://, was \"%s\"; a folder is images:%s"
                            .formatted(rest, rest));
        }
        return new Images(place, 0);
    }

    private static Zarr zarr(String rest) {
        int hash = rest.indexOf('#');
        return hash < 0
                ? new Zarr(new StorePlace(rest), "")
                : new Zarr(new StorePlace(rest.substring(0, hash)), rest.substring(hash + 1));
    }

    private static Records records(String rest) {
        int comma = rest.lastIndexOf(',');
        if (comma <= 0) {
            throw new IllegalArgumentException("records need the size of one, as in records:" + rest + ",1024");
        }
        String size = rest.substring(comma + 1);
        long bytes = size.matches("\\d{1,18}")
                ? Long.parseLong(size)
                : ByteSize.parse(size).bytes();
        if (bytes < 1 || bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a record must have 1 byte to 2 GiB, was \"" + size + "\"");
        }
        return new Records(new StorePlace(rest.substring(0, comma)), (int) bytes);
    }

    /** For picocli. */
    final class Reader implements ITypeConverter<SourceSpec> {

        /** How what follows the word of each kind is read. */
        static final Map<String, Function<String, SourceSpec>> KINDS = Map.ofEntries(
                Map.entry("images", rest -> new Images(new StorePlace(rest), 0)),
                Map.entry("http", SourceSpec::manifest),
                Map.entry("records", SourceSpec::records),
                Map.entry("zarr", SourceSpec::zarr),
                Map.entry("tar", rest -> new Tar(new StorePlace(rest))),
                Map.entry("text", rest -> new Lines(new StorePlace(rest), false)),
                Map.entry("jsonl", SourceSpec::jsonLines),
                Map.entry("arrow", rest -> Rows.parse(Rows.Kind.ARROW, rest)),
                Map.entry("csv", rest -> Rows.parse(Rows.Kind.CSV, rest)),
                Map.entry("npy", SourceSpec::npy),
                Map.entry("idx", rest -> new Array(new StorePlace(rest), "", true)),
                Map.entry("npz", rest -> Rows.parse(Rows.Kind.NPZ, rest)),
                Map.entry("parquet", rest -> Rows.parse(Rows.Kind.PARQUET, rest)),
                Map.entry("tfrecord", rest -> Rows.parse(Rows.Kind.TFRECORD, rest)),
                Map.entry("mds", rest -> Rows.parse(Rows.Kind.MDS, rest)));

        @Override
        public SourceSpec convert(String text) {
            try {
                return parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        }
    }
}
