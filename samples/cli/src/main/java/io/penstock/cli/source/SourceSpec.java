package io.penstock.cli.source;

import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.internal.Arguments;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where samples come from, as {@code --source} says it.
 *
 * @param place  the store, the file or the files
 * @param rest   what follows the place, with the comma or hash before it; empty where nothing does
 * @param number the levels of folders above the classes of images; the bytes of a record; else 0
 */
public record SourceSpec(Kind kind, StorePlace place, String rest, int number) {

    /** To one host, of the client that reads what is elsewhere: as many as {@code HttpOptions} has unless told. */
    public static final int CONNECTIONS = 512;

    static final String KNOWN =
            "the sources are images:DIR, records:FILE,SIZE, zarr:STORE#ARRAY, tar:FILES, http:MANIFEST, "
                    + "text:FILES, jsonl:FILES, jsonl:FILES#FIELDS, csv:FILES#COLUMNS, npy:FILE, npy:ARCHIVE.npz#ARRAY, "
                    + "npz:FILE#ARRAYS, hdf5:FILE#PATHS, idx:FILE, parquet:FILES#COLUMNS, "
                    + "arrow:FILES#COLUMNS, tfrecord:FILES#FEATURES, "
                    + "mds:DIR#COLUMNS, pairs:IMAGES,MASKS, coco:FILE,IMAGES#FIELDS, voc:DIR,SPLIT#FIELDS, "
                    + "yolo:DIR,SPLIT, hf:DIR,SPLIT#COLUMNS and kafka:HOST:PORT/TOPIC,RANGES";

    public enum Kind {
        /** Class folders of images in a folder or a zip. */
        IMAGES,
        /** A manifest of images at an HTTP address. */
        HTTP,
        /** A file of records of one length. */
        RECORDS,
        /** The rows of an array in a Zarr store. */
        ZARR,
        /** The samples of tar shards. */
        TAR,
        /** The lines of text files. */
        TEXT,
        /** The lines of JSON lines as they are, where no fields are named. */
        JSON,
        /** The values of a topic's records. */
        KAFKA,
        /** A data set in a layout of the Hugging Face Hub. */
        HF,
        /** The rows of tables, or of several arrays. */
        JSONL,
        PARQUET,
        ARROW,
        CSV,
        TFRECORD,
        MDS,
        HDF5,
        NPZ,
        /** The rows of an array in a file of its own, or in an archive of several. */
        NPY,
        IDX,
        /** Images with boxes, masks or texts. */
        PAIRS,
        COCO,
        VOC,
        YOLO;

        String word() {
            return this == JSON ? JSONL.word() : name().toLowerCase(Locale.ROOT);
        }

        public boolean isTable() {
            return compareTo(JSONL) >= 0 && compareTo(NPZ) <= 0;
        }

        boolean isAnnotated() {
            return compareTo(PAIRS) >= 0;
        }

        /** Where the place ends in what follows the word; -1 where nothing follows the place. */
        private int placeEnd(String text) {
            return switch (this) {
                case IMAGES -> text.endsWith(UNLABELLED) ? text.length() - UNLABELLED.length() : -1;
                case RECORDS -> text.lastIndexOf(',');
                case KAFKA -> text.indexOf(',', text.indexOf('/')); // servers have commas between them
                case ZARR -> text.indexOf('#');
                case JSONL, PARQUET, ARROW, CSV, TFRECORD, MDS, HDF5, NPZ -> text.lastIndexOf('#');
                // only an archive's name is followed by that of an array: # may stand in the name of a file
                case NPY -> text.contains(ARCHIVE) ? text.lastIndexOf(ARCHIVE) + ARCHIVE.length() - 1 : -1;
                case HF, PAIRS, COCO, VOC, YOLO -> {
                    int hash = text.lastIndexOf('#');
                    int comma = text.lastIndexOf(',', hash < 0 ? text.length() : hash);
                    yield comma < 0 ? hash : comma;
                }
                default -> -1;
            };
        }
    }

    private static final String ARCHIVE = ".npz#";
    private static final String UNLABELLED = "#pixels";

    public static SourceSpec parse(String text) {
        if (new StorePlace(text).isRemote()) {
            return of(Kind.IMAGES, text);
        }
        int colon = text.indexOf(':');
        String word = colon < 0 ? "" : text.substring(0, colon);
        String rest = text.substring(colon + 1);
        Arguments.refuse(rest.isBlank(), "a source needs a place, was \"%s\"; %s", text, KNOWN);
        if (word.isEmpty()) {
            throw new IllegalArgumentException(withoutKind(text));
        }
        Kind kind = Arrays.stream(Kind.values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no such source: \"" + text + "\"; " + KNOWN));
        return of(kind == Kind.JSON && rest.indexOf('#') >= 0 ? Kind.JSONL : kind, rest);
    }

    private static String withoutKind(String text) {
        String guess = SourceGuess.of(text);
        return "a source needs its kind before its place"
                + (guess.isEmpty() ? ", such as images:%s; ".formatted(text) : ": did you mean %s? ".formatted(guess))
                + KNOWN;
    }

    private static SourceSpec of(Kind kind, String text) {
        int found = kind.placeEnd(text);
        int end = found < 0 ? text.length() : found;
        SourceSpec source = new SourceSpec(kind, new StorePlace(text.substring(0, end)), text.substring(end), 0);
        switch (kind) {
            case HTTP -> source.requireManifest();
            case KAFKA -> {
                KafkaAddress.parse(source.place.text());
                KafkaAddress.ranges(source.rest);
            }
            case RECORDS -> {
                return new SourceSpec(kind, source.place, source.rest, recordBytes(source));
            }
            case PAIRS -> {
                Arguments.refuse(source.second().isEmpty(), "pairs need two folders, as in pairs:%s,MASKS", text);
            }
            case HDF5 -> {
                if (source.place.isRemote()) {
                    throw new IllegalArgumentException(
                            "%s is read from a file of this machine; copy it there".formatted(source.words()));
                }
                source.columns();
            }
            default -> {
                if (kind.isTable()) {
                    source.columns();
                }
            }
        }
        return source;
    }

    private void requireManifest() {
        if (!place.isHttp()) {
            throw new IllegalArgumentException(
                    "a manifest is at an address that begins with http:// or https://, was \"%s\"; a folder is images:%s"
                            .formatted(place.text(), place.text()));
        }
    }

    private static int recordBytes(SourceSpec source) {
        if (source.rest.isEmpty() || source.place.text().isEmpty()) {
            throw new IllegalArgumentException(
                    "records need the size of one, as in records:" + source.place.text() + source.rest + ",1024");
        }
        String size = source.behind();
        long bytes = ByteSize.bytes(size);
        if (bytes < 1 || bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a record must have 1 byte to 2 GiB, was \"" + size + "\"");
        }
        return (int) bytes;
    }

    /** What follows the place, without the comma or hash before it. */
    private String behind() {
        return rest.isEmpty() ? "" : rest.substring(1);
    }

    String array() {
        return behind();
    }

    TableColumns columns() {
        return TableColumns.parse(kind == Kind.HF ? String.join(",", fields()) : behind());
    }

    /** What follows the place of annotated images behind a comma: a second place, or a split; empty for nothing. */
    String second() {
        int hash = rest.lastIndexOf('#');
        return rest.startsWith(",") ? rest.substring(1, hash < 0 ? rest.length() : hash) : "";
    }

    /** The fields of annotated images that were chosen; empty for boxes and classes. */
    List<String> fields() {
        int hash = rest.lastIndexOf('#');
        return hash < 0 ? List.of() : List.of(rest.substring(hash + 1).split(",", -1));
    }

    /** Whether it is images with boxes, masks or texts, or images alone. */
    public boolean isAnnotated() {
        return kind.isAnnotated() || kind == Kind.IMAGES && !rest.isEmpty();
    }

    public boolean isRemote() {
        return place.isRemote() || kind.isAnnotated() && new StorePlace(second()).isRemote();
    }

    /** What a flag says for it; of an address without its query, since it is printed. */
    public String words() {
        String word = kind == Kind.IMAGES && place.isHttp() ? Kind.HTTP.word() : kind.word();
        return word + ":" + place + (kind == Kind.RECORDS ? "," + number : rest);
    }

    /**
     * The same, read from copies of its files in a folder, which are made when they are first read.
     * @throws IllegalArgumentException if it is read in its place
     */
    public SourceSpec mirroredIn(DiskSpec mirror) {
        if (kind.isAnnotated()) {
            throw new IllegalArgumentException("--mirror is not for %s: copy the folder".formatted(words()));
        }
        boolean isFolder = kind == Kind.IMAGES || kind == Kind.HTTP || kind == Kind.ZARR;
        StorePlace copies = isFolder ? place.folderMirroredIn(mirror) : place.mirroredIn(mirror);
        return new SourceSpec(kind, copies, rest, number);
    }

    /** With the levels of folders above the classes as a flag says them, if it does. */
    public SourceSpec withDepth(@Nullable Integer depth) {
        if (depth == null) {
            return this;
        }
        if ((kind == Kind.IMAGES || kind == Kind.HTTP) && !isAnnotated()) {
            return new SourceSpec(kind, place, rest, depth);
        }
        throw new IllegalArgumentException(
                "--depth is for images in class folders: it says how many levels of folders are above the classes");
    }
}
