package io.penstock.cli.stream;

import io.penstock.cli.flag.NumberFlag;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags for where a run ends, and what it says of itself. */
final class RunFlags {

    @Option(names = "--stop-after", paramLabel = "BATCHES", converter = NumberFlag.Count.class)
    @Nullable Integer stopAfter;

    @Option(names = "--digest")
    boolean digest;

    @Option(names = "--headroom")
    boolean headroom;

    @Option(names = "--batch-events")
    boolean batchEvents;

    @Option(names = "--trace", paramLabel = "FILE")
    @Nullable Path trace;
}
