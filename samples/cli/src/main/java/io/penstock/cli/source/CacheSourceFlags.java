package io.penstock.cli.source;

import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.NumberFlag;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of {@code stream} that decide what goes into a cache. */
public final class CacheSourceFlags {

    @Option(
            order = 1,
            names = "--source",
            required = true,
            paramLabel = "SOURCE",
            converter = SourceSpec.Reader.class,
            description = "What to read, as for stream.")
    private final List<SourceSpec> sources = new ArrayList<>();

    @Option(
            order = 2,
            names = "--resize",
            paramLabel = "N",
            converter = NumberFlag.Side.class,
            description = "Make every image exactly N x N, as for stream.")
    private @Nullable Integer resize;

    @Option(
            order = 3,
            names = "--depth",
            paramLabel = "N",
            converter = NumberFlag.Levels.class,
            description = "Levels of folders above the class folders, as for stream.")
    private @Nullable Integer depth;

    @Option(
            order = 4,
            names = "--filter",
            paramLabel = "FILTER",
            converter = SampleFilter.Reader.class,
            description = "Read only some samples, as for stream.")
    private final List<SampleFilter> filters = new ArrayList<>();

    @Option(
            order = 5,
            names = "--split",
            paramLabel = "FROM..TO",
            converter = SplitShare.Reader.class,
            description = "Read only one part of the samples, as for stream.")
    private @Nullable SplitShare split;

    @Option(
            order = 6,
            names = "--mirror",
            paramLabel = "DIR[,SIZE]",
            converter = DiskSpec.Reader.class,
            description = "Copy files that are elsewhere into this folder when they are first read, as for stream.")
    private @Nullable DiskSpec mirror;

    /** Opens the source, and writes nothing beside it. */
    public Cacheable<?> open() {
        return open(null);
    }

    /**
     * Opens the source.
     * @param cache the directory of the cache, for what is kept beside the samples; null for none
     * @throws IllegalArgumentException if the flags do not fit together
     */
    public Cacheable<?> open(@Nullable Path cache) {
        return OpenedSources.open(
                new SourceChoice(SourceSpec.mirrored(sources, mirror), resize, depth, filters, split), cache);
    }
}
