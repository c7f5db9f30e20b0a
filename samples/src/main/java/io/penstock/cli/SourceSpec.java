package io.penstock.cli;

import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where samples come from, as {@code --source} says it. */
sealed interface SourceSpec {

    /** A folder of class folders of images. */
    record Images(Path folder) implements SourceSpec {}

    /** A file of records of one length. */
    record Records(Path file, int recordBytes) implements SourceSpec {}

    String KNOWN = "the sources are images:DIR and records:FILE,SIZE";

    /**
     * Reads what follows {@code --source}.
     * @throws IllegalArgumentException if there is no such source
     */
    static SourceSpec parse(String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? "" : text.substring(0, colon);
        String rest = text.substring(colon + 1);
        if (rest.isBlank()) {
            throw new IllegalArgumentException("a source needs a place, was \"" + text + "\"; " + KNOWN);
        }
        return switch (kind) {
            case "images" -> new Images(Path.of(rest));
            case "records" -> records(rest);
            case "zarr", "tar", "http", "https" ->
                throw new IllegalArgumentException("source \"" + kind + ":\" is not in this version; " + KNOWN);
            default -> throw new IllegalArgumentException("there is no such source: \"" + text + "\"; " + KNOWN);
        };
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
        return new Records(Path.of(rest.substring(0, comma)), (int) bytes);
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
