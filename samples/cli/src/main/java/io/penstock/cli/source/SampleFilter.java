package io.penstock.cli.source;

import io.penstock.cli.flag.ByteSize;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/** Which samples of a source are read, as {@code --filter} says it: by what is known without loading them. */
public sealed interface SampleFilter {

    String FORM = "a filter is label=A,B or name=GLOB or bytes=MIN..MAX, was \"%s\"";

    /** Those of some classes. */
    record Label(Set<String> labels) implements SampleFilter {
        @Override
        public LongPredicate of(Cacheable<?> samples, Set<String> classes) {
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
        }

        @Override
        public String toString() {
            return "label=" + String.join(",", labels);
        }
    }

    /** Those whose names a pattern matches. */
    record Name(String glob, PathMatcher matcher) implements SampleFilter {
        @Override
        public LongPredicate of(Cacheable<?> samples, Set<String> classes) {
            return index -> matcher.matches(Path.of(samples.dataset().name(index)));
        }

        @Override
        public String toString() {
            return "name=" + glob;
        }
    }

    /** Those whose files have {@code [min, max]} bytes. */
    record Bytes(long min, long max) implements SampleFilter {
        @Override
        public LongPredicate of(Cacheable<?> samples, Set<String> classes) {
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
        }

        @Override
        public String toString() {
            return "bytes=%d..%d".formatted(min, max);
        }
    }

    /**
     * Whether it takes an index of these samples.
     * @param classes of all sources
     * @throws IllegalArgumentException if they do not say what it asks for
     */
    LongPredicate of(Cacheable<?> samples, Set<String> classes);

    /** Several filters as one. */
    static String words(List<SampleFilter> filters) {
        return filters.stream().map(Object::toString).collect(Collectors.joining(" and "));
    }

    /**
     * Reads what follows the flag.
     * @throws IllegalArgumentException if it is no filter
     */
    static SampleFilter parse(String text) {
        int equals = text.indexOf('=');
        String rest = text.substring(equals + 1);
        if (equals < 0 || rest.isEmpty()) {
            throw new IllegalArgumentException(FORM.formatted(text));
        }
        return switch (text.substring(0, equals)) {
            case "label" -> new Label(new TreeSet<>(List.of(rest.split(","))));
            case "name" -> name(rest);
            case "bytes" -> bytes(rest, text);
            default -> throw new IllegalArgumentException(FORM.formatted(text));
        };
    }

    private static Name name(String glob) {
        try {
            return new Name(glob, FileSystems.getDefault().getPathMatcher("glob:" + glob));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "--filter name=%s is no pattern: %s".formatted(glob, e.getDescription()), e);
        }
    }

    private static Bytes bytes(String range, String text) {
        String[] ends = range.split("\\.\\.", -1);
        if (ends.length != 2) {
            throw new IllegalArgumentException(FORM.formatted(text));
        }
        long min = ends[0].isEmpty() ? 0 : ByteSize.bytes(ends[0]);
        long max = ends[1].isEmpty() ? Long.MAX_VALUE : ByteSize.bytes(ends[1]);
        if (min > max) {
            throw new IllegalArgumentException("--filter %s takes nothing: MIN is more than MAX".formatted(text));
        }
        return new Bytes(min, max);
    }
}
