package io.penstock.cli.source;

import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.Flags;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.internal.Arguments;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags that say which samples are read. */
public final class SourceFlags {

    @Option(names = "--source", required = true, paramLabel = "SOURCE")
    private final List<SourceSpec> sources = new ArrayList<>();

    @Option(names = "--resize", paramLabel = "N", converter = NumberFlag.Side.class)
    private @Nullable Integer resize;

    @Option(names = "--depth", paramLabel = "N", converter = NumberFlag.Levels.class)
    private @Nullable Integer depth;

    @Option(names = "--filter", paramLabel = "FILTER")
    private final List<SampleFilter> filters = new ArrayList<>();

    @Option(names = "--split", paramLabel = "FROM..TO")
    private @Nullable SplitShare split;

    @Option(names = "--join", paramLabel = "SOURCE")
    private @Nullable SourceSpec join;

    @Option(names = "--join-keep", paramLabel = "SIDE")
    private Flags.JoinKeep joinKeep = Flags.JoinKeep.INNER;

    @Option(names = "--window-rows", paramLabel = "WINDOWS")
    private @Nullable WindowRows windows;

    @Mixin
    private final DuplicateFlags duplicates = new DuplicateFlags();

    @Mixin
    private final FitFlags fits = new FitFlags();

    @Option(names = "--mirror", paramLabel = "DIR[,SIZE]")
    private @Nullable DiskSpec mirror;

    public static CommandLine readBy(CommandLine command) {
        return Flags.readBy(command)
                .registerConverter(SourceSpec.class, Flags.reading(SourceSpec::parse))
                .registerConverter(SampleFilter.class, Flags.reading(SampleFilter::parse))
                .registerConverter(SplitShare.class, Flags.reading(SplitShare::parse))
                .registerConverter(WindowRows.class, Flags.reading(WindowRows::parse));
    }

    public int count() {
        return sources.size();
    }

    /** The side of every image; null where they stay as they are. */
    public @Nullable Integer resize() {
        return resize;
    }

    /** Where copies are; null without any. */
    public @Nullable Path mirror() {
        return mirror == null ? null : mirror.directory();
    }

    public boolean isRemote() {
        return sources.stream().anyMatch(SourceSpec::isRemote);
    }

    public boolean hasTables() {
        return sources.stream().anyMatch(source -> source.kind().isTable());
    }

    /** Whether the columns of the sources are texts unless flags say their types. */
    public boolean areTextTables() {
        return sources.stream()
                .allMatch(source -> source.kind() == SourceSpec.Kind.CSV || source.kind() == SourceSpec.Kind.JSONL);
    }

    /**
     * Opens the sources: lists the folders or asks for the files' sizes.
     * @param cache the directory of a cache, for what is kept beside the samples; null writes nothing
     * @throws IllegalArgumentException if the flags do not fit together
     */
    public Cacheable<?> open(@Nullable Path cache) {
        return this.<Cacheable<?>>open(cache, null, pictures -> pictures, tensors -> tensors, rows -> rows);
    }

    /**
     * As {@link #open}, for who goes on differently with pictures than with other samples.
     * @param tokenize makes tokens of texts; null where they stay bytes
     */
    public <R> R open(
            @Nullable Path cache,
            @Nullable Tokenize tokenize,
            Function<Cacheable<Picture>, R> ofPictures,
            Function<Cacheable<Tensor>, R> ofTensors,
            Function<Cacheable<Row>, R> ofRows) {
        WindowRows made = windows;
        if (made == null) {
            return rows(
                    cache,
                    tokenize,
                    split,
                    pictures -> ofPictures.apply(fits.overPictures(pictures)),
                    tensors -> ofTensors.apply(fits.over(tensors)),
                    rows -> ofRows.apply(fits.over(rows)));
        }
        // a fit is one of windows, since one of rows would have those of series that are not trained with
        Function<Cacheable<Row>, R> inWindows = rows -> ofRows.apply(fits.over(made.over(rows, split, cache)));
        return rows(
                cache,
                tokenize,
                null, // which would tear series apart
                pictures -> {
                    throw new IllegalArgumentException("--window-rows is for the rows of tables, not for pictures");
                },
                tensors -> inWindows.apply(JoinedSource.ofTensors(tensors)),
                inWindows);
    }

    private <R> R rows(
            @Nullable Path cache,
            @Nullable Tokenize tokenize,
            @Nullable SplitShare of,
            Function<Cacheable<Picture>, R> ofPictures,
            Function<Cacheable<Tensor>, R> ofTensors,
            Function<Cacheable<Row>, R> ofRows) {
        if (join == null) {
            Supplier<OpenedSources> other =
                    () -> opened(List.of(Objects.requireNonNull(duplicates.without)), List.of(), null, cache, tokenize);
            return opened(sources, filters, of, cache, tokenize)
                    .together(
                            all -> ofPictures.apply(duplicates.over(DuplicateFlags.PICTURES, all, cache, other)),
                            all -> ofTensors.apply(duplicates.over(DuplicateFlags.TENSORS, all, cache, other)),
                            all -> ofRows.apply(duplicates.over(DuplicateFlags.ROWS, all, cache, other)));
        }
        Arguments.refuse(duplicates.isGiven(), "--without and --without-duplicates exclude --join");
        JoinedSource left = joined(opened(sources, filters, of, cache, tokenize), sources.get(0));
        JoinedSource right = joined(opened(List.of(join), List.of(), null, cache, null), join);
        return ofRows.apply(left.join(right, joinKeep == Flags.JoinKeep.INNER));
    }

    private static JoinedSource joined(OpenedSources opened, SourceSpec source) {
        Cacheable<Row> rows = opened.together(JoinedSource::ofPictures, JoinedSource::ofTensors, tables -> tables);
        boolean pictures = rows.schema().names().contains("pixels");
        return new JoinedSource(rows, source.kind().isTable() && !pictures, "");
    }

    private OpenedSources opened(
            List<SourceSpec> from,
            List<SampleFilter> by,
            @Nullable SplitShare of,
            @Nullable Path cache,
            @Nullable Tokenize tokenize) {
        boolean alike = from == sources || join == null; // a table that is joined to pictures is not resized
        OpenedSources opened = new OpenedSources(alike ? resize : null, by, of, cache, tokenize);
        from.stream()
                .map(source -> mirror == null ? source : source.mirroredIn(mirror))
                .map(source -> alike ? source.withDepth(depth) : source)
                .toList()
                .forEach(opened::add);
        return opened;
    }
}
