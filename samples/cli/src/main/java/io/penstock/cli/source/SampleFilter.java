package io.penstock.cli.source;

import io.penstock.cli.flag.ByteSize;
import io.penstock.internal.Arguments;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * Which samples of a source are read, as {@code --filter} says it: by what is known without loading them.
 *
 * @param words  as the flag says it
 * @param taking tells which indices it takes
 */
record SampleFilter(String words, Taking taking) {

    private static final String FORM = "a filter is label=A,B or name=GLOB or bytes=MIN..MAX, was \"%s\"";

    /** Tells which indices of some samples are taken. */
    interface Taking {
        /**
         * Looks at what is known of the samples.
         * @param classes of all sources
         * @throws IllegalArgumentException if the samples do not say what it asks for
         */
        LongPredicate of(Cacheable<?> samples, Set<String> classes);
    }

    /** Several filters as one. */
    static String words(List<SampleFilter> filters) {
        return filters.stream().map(SampleFilter::words).collect(Collectors.joining(" and "));
    }

    /** Reads what follows the flag. */
    static SampleFilter parse(String text) {
        int equals = text.indexOf('=');
        String rest = text.substring(equals + 1);
        if (equals < 0 || rest.isEmpty()) {
            throw new IllegalArgumentException(FORM.formatted(text));
        }
        return switch (text.substring(0, equals)) {
            case "label" -> label(new TreeSet<>(List.of(rest.split(","))));
            case "name" -> name(rest);
            case "bytes" -> bytes(rest, text);
            default -> throw new IllegalArgumentException(FORM.formatted(text));
        };
    }

    private static SampleFilter label(Set<String> labels) {
        return new SampleFilter("label=" + String.join(",", labels), (samples, classes) -> {
            Listing listing = samples.listing();
            if (listing == null || samples.classes().isEmpty()) {
                throw new IllegalArgumentException(
                        "--filter label= needs a source with classes: images:DIR, or a manifest with labels");
            }
            Set<String> unknown = new TreeSet<>(labels);
            unknown.removeAll(classes);
            if (!unknown.isEmpty()) {
                throw new IllegalArgumentException("there is no class %s; the classes are %s"
                        .formatted(String.join(", ", unknown), String.join(", ", classes)));
            }
            return index -> labels.contains(listing.label().apply(index));
        });
    }

    private static SampleFilter name(String glob) {
        try {
            PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
            return new SampleFilter(
                    "name=" + glob,
                    (samples, classes) ->
                            index -> matcher.matches(Path.of(samples.dataset().name(index))));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "--filter name=%s is no pattern: %s".formatted(glob, e.getDescription()), e);
        }
    }

    private static SampleFilter bytes(String range, String text) {
        String[] ends = range.split("\\.\\.", -1);
        if (ends.length != 2) {
            throw new IllegalArgumentException(FORM.formatted(text));
        }
        long min = ends[0].isEmpty() ? 0 : ByteSize.bytes(ends[0]);
        long max = ends[1].isEmpty() ? Long.MAX_VALUE : ByteSize.bytes(ends[1]);
        Arguments.refuse(min > max, "--filter %s takes nothing: MIN is more than MAX", text);
        return new SampleFilter("bytes=%d..%d".formatted(min, max), (samples, classes) -> {
            Listing listing = samples.listing();
            if (listing == null) {
                throw new IllegalArgumentException("--filter bytes= needs a source of files: images:DIR or a manifest");
            }
            return index -> {
                long bytes = listing.bytes().applyAsLong(index);
                if (bytes < 0) {
                    throw new IllegalArgumentException("--filter bytes= needs sizes: the manifest has none for "
                            + samples.dataset().name(index));
                }
                return bytes >= min && bytes <= max;
            };
        });
    }
}
