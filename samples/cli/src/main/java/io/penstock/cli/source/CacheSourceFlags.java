package io.penstock.cli.source;

import io.penstock.cli.flag.NumberFlag;
import java.nio.file.Path;
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
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private SourceSpec source;

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
        return Cacheable.open(source.withDepth(depth), resize, cache);
    }
}
