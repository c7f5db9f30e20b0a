package io.penstock.cli;

import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where the samples of a job go, as {@code --to} says it. */
sealed interface MaterializeTarget {

    /** A cache on disk. */
    record Disk(DiskSpec disk) implements MaterializeTarget {}

    /** A folder of tar shards. */
    record Tar(Path folder) implements MaterializeTarget {}

    /**
     * Reads what follows {@code --to}.
     * @throws IllegalArgumentException if there is no such target
     */
    static MaterializeTarget parse(String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? "" : text.substring(0, colon);
        String place = text.substring(colon + 1);
        if (colon < 0 || place.isBlank()) {
            throw new IllegalArgumentException("disk:DIR[,SIZE] or tar:DIR was expected, was \"" + text + "\"");
        }
        return switch (kind) {
            case "disk" -> new Disk(DiskSpec.parse(place));
            case "tar" -> new Tar(Path.of(place));
            default ->
                throw new IllegalArgumentException(
                        "there is no such target: \"" + text + "\"; disk:DIR[,SIZE] and tar:DIR are");
        };
    }

    /** For picocli. */
    final class Reader implements ITypeConverter<MaterializeTarget> {
        @Override
        public MaterializeTarget convert(String text) {
            try {
                return parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        }
    }
}
