package io.penstock.cli.source;

import io.penstock.duplicate.Duplicates;
import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.table.Row;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that leave duplicates out. */
final class DuplicateFlags {

    /** The folder in a cache's directory for signatures. */
    private static final String KEPT = "duplicates";

    static final Compared<Picture> PICTURES = new Compared<>(
            () -> Duplicates.exact("pixels", picture -> List.of(picture.pixels())),
            near -> Duplicates.nearPictures(near, "pixels", Picture::pixels),
            other -> other.together(alike -> alike, DuplicateFlags::differs, DuplicateFlags::differs));

    static final Compared<Tensor> TENSORS = new Compared<>(
            () -> Duplicates.exact("values", List::of),
            near -> Duplicates.nearTexts(near, "text", DuplicateFlags::text),
            other -> other.together(DuplicateFlags::differs, alike -> alike, DuplicateFlags::differs));

    static final Compared<Row> ROWS = new Compared<>(
            () -> Duplicates.exact("all fields", Row::values),
            near -> Duplicates.nearTexts(near, "all texts", DuplicateFlags::text),
            other -> other.together(DuplicateFlags::differs, DuplicateFlags::differs, alike -> alike));

    /** How samples of a kind are compared, and those of another source if it has the same kind. */
    record Compared<T>(
            Supplier<Duplicates<T>> exact,
            DoubleFunction<Duplicates<T>> near,
            Function<OpenedSources, Cacheable<T>> alike) {}

    @Option(names = "--without-duplicates", paramLabel = "exact|near=S")
    private @Nullable String withoutDuplicates;

    @Option(names = "--without", paramLabel = "SOURCE")
    @Nullable SourceSpec without;

    boolean isGiven() {
        return withoutDuplicates != null || without != null;
    }

    private static <T> Cacheable<T> differs(Cacheable<?> other) {
        throw new IllegalArgumentException("--without needs a source of the same kind; its samples have %s"
                .formatted(other.schema().names()));
    }

    /** Of tokens, their numbers. */
    private static String text(Tensor value) {
        return value.dtype() == DType.U8
                ? value.toText()
                : Arrays.toString(value.toIntArray()); // refuses what is no i32
    }

    private static String text(Row row) {
        List<String> texts =
                row.values().stream().filter(Tensor::isText).map(Tensor::toText).toList();
        boolean none = texts.isEmpty();
        Arguments.refuse(none, "--without-duplicates near= compares texts, and rows have %s; use exact", row.names());
        return String.join("\n", texts);
    }

    <T> Cacheable<T> over(Compared<T> kind, Cacheable<T> samples, @Nullable Path cache, Supplier<OpenedSources> other) {
        if (!isGiven()) {
            return samples;
        }
        Duplicates<T> duplicates = chosen(kind);
        Indexing indexing = cache == null ? Indexing.inMemory() : Indexing.keptIn(cache.resolve(KEPT));
        Dataset<T> kept = samples.dataset();
        if (withoutDuplicates != null) {
            kept = Objects.requireNonNull(duplicates.without(kept, indexing).block());
        }
        if (without != null) {
            Dataset<T> theirs = kind.alike.apply(other.get()).dataset();
            kept = Objects.requireNonNull(
                    duplicates.without(kept, theirs, indexing).block());
        }
        return samples.only(kept);
    }

    private <T> Duplicates<T> chosen(Compared<T> kind) {
        if (withoutDuplicates == null || withoutDuplicates.equals("exact")) {
            return kind.exact.get();
        }
        if (withoutDuplicates.matches("near=(0\\.\\d{1,9}|1(\\.0+)?)")) {
            return kind.near.apply(Double.parseDouble(withoutDuplicates.substring("near=".length())));
        }
        throw new IllegalArgumentException(
                "--without-duplicates is exact or near=0.9, was \"%s\"".formatted(withoutDuplicates));
    }
}
