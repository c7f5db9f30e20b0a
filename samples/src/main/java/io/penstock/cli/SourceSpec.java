package io.penstock.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where samples come from, as {@code --source} says it. */
sealed interface SourceSpec {

    /** A folder of class folders of images, or a manifest of them at an HTTP address. */
    record Images(StorePlace place) implements SourceSpec {}

    /** A file of records of one length. */
    record Records(StorePlace place, int recordBytes) implements SourceSpec {}

    /** The rows of an array in a Zarr store. */
    record Zarr(StorePlace store, String path) implements SourceSpec {}

    /** The samples of tar shards. */
    record Tar(StorePlace shards) implements SourceSpec {}

    /** The lines of text files, or the objects of JSON lines. */
    record Lines(StorePlace files, boolean json) implements SourceSpec {}

    /** The rows of an array in a file of its own. */
    record Array(StorePlace file, boolean idx) implements SourceSpec {}

    String KNOWN = "the sources are images:DIR, records:FILE,SIZE, zarr:STORE#ARRAY, tar:FILES, http:MANIFEST, "
            + "text:FILES, jsonl:FILES, npy:FILE and idx:FILE";

    /**
     * Reads what follows {@code --source}.
     * @throws IllegalArgumentException if there is no such source
     */
    static SourceSpec parse(String text) {
        if (text.startsWith("http://") || text.startsWith("https://")) {
            return new Images(new StorePlace(text));
        }
        int colon = text.indexOf(':');
        String kind = colon < 0 ? "" : text.substring(0, colon);
        String rest = text.substring(colon + 1);
        if (rest.isBlank()) {
            throw new IllegalArgumentException("a source needs a place, was \"" + text + "\"; " + KNOWN);
        }
        return switch (kind) {
            case "images", "http" -> new Images(new StorePlace(rest));
            case "records" -> records(rest);
            case "zarr" -> zarr(rest);
            case "tar" -> new Tar(new StorePlace(rest));
            case "text" -> new Lines(new StorePlace(rest), false);
            case "jsonl" -> new Lines(new StorePlace(rest), true);
            case "npy" -> new Array(new StorePlace(rest), false);
            case "idx" -> new Array(new StorePlace(rest), true);
            default -> throw new IllegalArgumentException("there is no such source: \"" + text + "\"; " + KNOWN);
        };
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
