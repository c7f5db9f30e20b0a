package io.penstock.train;

import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.Flags;
import io.penstock.cli.flag.HelpFlag;
import io.penstock.cli.flag.NumberFlag;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags of {@code train}, as they were given or by default. */
final class TrainFlags {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Option(
            order = 1,
            names = "--data",
            paramLabel = "DIR|tar:DIR",
            description =
                    "A folder of class folders of images, or of MNIST's two idx files, or with tar: one of shards that "
                            + "materialize wrote. By default a labelled set is made.")
    @Nullable String data;

    @Option(
            order = 2,
            names = "--images",
            paramLabel = "N",
            defaultValue = "640",
            converter = NumberFlag.Pictures.class,
            description = "How many pictures to make without --data (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    Integer images;

    @Option(
            order = 3,
            names = "--resize",
            paramLabel = "N",
            converter = NumberFlag.Side.class,
            description = "Make every image exactly N x N (default: 32; idx files and shards keep their size).")
    @Nullable Integer resize;

    @Option(
            order = 4,
            names = "--cache-ram",
            paramLabel = "SIZE",
            defaultValue = "25%",
            converter = Flags.Size.class,
            description = "Keep decoded pictures in memory off the heap (default: ${DEFAULT-VALUE} of what is free).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    ByteSize cacheRam;

    @Option(
            order = 5,
            names = "--cache-disk",
            paramLabel = "DIR[,SIZE]",
            converter = DiskSpec.Reader.class,
            description = "Keep them in this directory too, where the next run finds them.")
    @Nullable DiskSpec cacheDisk;

    @Option(
            order = 6,
            names = "--augment",
            paramLabel = "WORDS",
            description = "Random changes to pictures, after the cache; as for stream. By default a crop of the whole "
                    + "size from inside a margin of zeros, 2 pixels wide.")
    @Nullable String augment;

    @Option(
            order = 7,
            names = "--batch",
            paramLabel = "N",
            defaultValue = "64",
            converter = NumberFlag.BatchSize.class,
            description = "Samples a step, of each rank (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    Integer batch;

    @Option(
            order = 8,
            names = "--epochs",
            paramLabel = "N",
            defaultValue = "5",
            converter = NumberFlag.Count.class,
            description = "Epochs of the whole run, those before a checkpoint included (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    Integer epochs;

    @Option(
            order = 9,
            names = "--seed",
            paramLabel = "N",
            defaultValue = "42",
            converter = NumberFlag.Seed.class,
            description = "The seed of the first weights, the order and the augmentation (default: ${DEFAULT-VALUE}).")
    long seed;

    @Option(
            order = 10,
            names = "--learning-rate",
            paramLabel = "X",
            defaultValue = "0.02",
            converter = NumberFlag.Rate.class,
            description = "The highest; it rises from 0 at the beginning and falls to 0 at the end (default: "
                    + "${DEFAULT-VALUE}).")
    double rate;

    @Option(
            order = 11,
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            converter = NumberFlag.Threads.class,
            description = "Threads that a step computes on (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    Integer threads;

    @Option(
            order = 12,
            names = "--checkpoint",
            paramLabel = "FILE",
            description = "Save model, optimizer and place in the data here, and resume from it if it exists.")
    @Nullable Path checkpoint;

    @Option(
            order = 13,
            names = "--save-every",
            paramLabel = "N",
            converter = NumberFlag.Count.class,
            description = "Save every N batches too, not only at the end of an epoch and of the run.")
    @Nullable Integer saveEvery;

    @Option(
            order = 14,
            names = "--stop-after",
            paramLabel = "N",
            converter = NumberFlag.Count.class,
            description = "Stop after N batches.")
    @Nullable Integer stopAfter;

    @Option(
            order = 52,
            names = "--port",
            paramLabel = "N",
            defaultValue = "29500",
            converter = NumberFlag.KnownPort.class,
            description = "Where rank 0 waits for the others, on this machine (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    Integer port;

    @Option(order = 90, names = "--json", description = "Print one JSON object a line, and nothing else.")
    boolean json;
}
