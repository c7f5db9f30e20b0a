package io.penstock.cli.stream;

import io.penstock.cli.flag.BatchLayout;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.ErrorBudget;
import io.penstock.cli.flag.Flags;
import io.penstock.cli.flag.LazySpec;
import io.penstock.cli.flag.MixtureEnd;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.source.SampleFilter;
import io.penstock.cli.source.SourceSpec;
import io.penstock.cli.source.SplitShare;
import io.penstock.order.Remainder;
import io.penstock.order.ShardMode;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The flags of {@code stream}, each with the value it was given or its default; null where there is neither. They are
 * numbered for the help text, since reflection lists methods in no order; a new one goes between two tens.
 */
@Command(name = "penstock stream")
public interface StreamOptions {

    @Option(
            order = 10,
            names = "--source",
            required = true,
            paramLabel = "SOURCE",
            converter = SourceSpec.Reader.class,
            description = "What to read: images:DIR, records:FILE,SIZE, zarr:STORE#ARRAY, tar:FILES, http:MANIFEST, "
                    + "text:, jsonl:, npy: or idx:FILE, npz:FILE#ARRAYS,"
                    + " parquet:, arrow:, csv: or jsonl:FILES#COLUMNS,"
                    + " tfrecord:FILES#FEATURES, mds:DIR#COLUMNS. More than one are read one after another.")
    List<SourceSpec> sources();

    @Option(
            order = 20,
            names = "--weights",
            paramLabel = "A,B,…",
            split = ",",
            converter = NumberFlag.Weight.class,
            description = "Mix several sources by these weights, one for each.")
    @Nullable List<Double> weights();

    @Option(
            order = 30,
            names = "--stop",
            paramLabel = "first|all|N",
            converter = MixtureEnd.Reader.class,
            description = "End an epoch of a mixture when its first source ends (default), when all do, or after N.")
    @Nullable MixtureEnd stop();

    @Option(
            order = 40,
            names = "--resize",
            paramLabel = "N",
            converter = NumberFlag.Side.class,
            description = "Make every image exactly N x N.")
    @Nullable Integer resize();

    @Option(
            order = 50,
            names = "--depth",
            paramLabel = "N",
            converter = NumberFlag.Levels.class,
            description = "Levels of folders above the class folders of images:DIR (default: 0).")
    @Nullable Integer depth();

    @Option(
            order = 60,
            names = "--filter",
            paramLabel = "FILTER",
            converter = SampleFilter.Reader.class,
            description = "Read only some samples: label=A,B, name=GLOB or bytes=MIN..MAX. Several must all hold.")
    @Nullable List<SampleFilter> filters();

    @Option(
            order = 70,
            names = "--split",
            paramLabel = "FROM..TO",
            converter = SplitShare.Reader.class,
            description = "Read only one part of the samples, by a hash of their names: 0..0.9 to train with, 0.9..1 "
                    + "to validate by. No sample changes its part when others are added.")
    @Nullable SplitShare split();

    @Option(
            order = 75,
            names = "--mirror",
            paramLabel = "DIR[,SIZE]",
            converter = DiskSpec.Reader.class,
            description = "Copy the files of sources that are elsewhere into this folder when they are first read, and "
                    + "read them there from then on: DIR, DIR,20GiB, or DIR,50%% of what is free.")
    @Nullable DiskSpec mirror();

    /** Null where none was given; {@link TextOptions#of} has their defaults then. */
    @ArgGroup(exclusive = false)
    @Nullable TextOptions texts();

    /** Null where none was given; {@link CacheOptions#of} has their defaults then. */
    @ArgGroup(exclusive = false)
    @Nullable CacheOptions caches();

    @Option(order = 160, names = "--no-shuffle", description = "Draw samples in the source's order, in every epoch.")
    boolean noShuffle();

    @Option(
            order = 170,
            names = "--window",
            paramLabel = "N",
            converter = NumberFlag.Count.class,
            description = "Read runs of N neighbours, several at a time, for sources that read best in order.")
    @Nullable Integer window();

    @Option(
            order = 180,
            names = "--interleave",
            paramLabel = "K",
            converter = NumberFlag.Windows.class,
            description = "Windows open at a time (64 by default): more mix better, fewer take less memory.")
    @Nullable Integer interleave();

    @Option(
            order = 190,
            names = "--augment",
            paramLabel = "SPEC",
            description = {
                "Random changes to each image, such as crop=200,flip; each word once, one of the two crops:",
                "  crop=H[xW][:pad=0][:reflect]",
                "  resized-crop=H[xW][:scale=0.08..1][:ratio=0.75..1.3333]",
                "  flip[=0.5]",
                "  jitter=S, or jitter=BRIGHTNESS:CONTRAST:SATURATION:HUE in 0 to 100, hue in 0 to 0.5",
                "  erase=P[:scale=0.02..0.33][:ratio=0.3..3.3][:value=0][:noise]",
                "  normalise=imagenet, or normalise=MEAN:DEVIATION"
            })
    @Nullable String augment();

    @Option(
            order = 200,
            names = "--batch",
            paramLabel = "N",
            converter = NumberFlag.BatchSize.class,
            description = "Samples a batch (default: 64).")
    @Nullable Integer batch();

    @Option(
            order = 220,
            names = "--bucket",
            paramLabel = "A,B,…",
            split = ",",
            converter = NumberFlag.Count.class,
            description = "Batches of samples of similar lengths: below A, from A to below B, and so on.")
    @Nullable List<Integer> bucket();

    @Option(
            order = 230,
            names = "--pad",
            description = "Pad samples with zeros to the largest of their batch, and add fields with their lengths.")
    boolean pad();

    @Option(
            order = 233,
            names = "--layout",
            paramLabel = "hwc|chw[:FIELDS]",
            converter = BatchLayout.Reader.class,
            description =
                    "Axes of images in batches: hwc as they are (default), chw with channels first, as PyTorch and "
                            + "DJL take them. Of pixels, or of the fields named.")
    @Nullable BatchLayout layout();

    @Option(
            order = 236,
            names = "--longs",
            paramLabel = "FIELDS",
            split = ",",
            description = "Deliver these fields of integers as i64, as PyTorch takes labels: label.")
    @Nullable List<String> longs();

    @Option(
            order = 237,
            names = "--with-indices",
            description = "Add the field index, i64[n]: the index of each row's sample, -1 in rows of padding. "
                    + "explain --step, with the same flags, names the samples.")
    boolean withIndices();

    @Option(
            order = 240,
            names = "--remainder",
            paramLabel = "drop|pad|keep",
            defaultValue = "keep",
            converter = Flags.Remainders.class,
            description = "What to do with samples that do not divide over ranks and batches (default: keep).")
    Remainder remainder();

    @Option(
            order = 250,
            names = "--epochs",
            paramLabel = "N",
            defaultValue = "1",
            converter = NumberFlag.Count.class,
            description = "Epochs of the whole run, those before --resume included (default: ${DEFAULT-VALUE}).")
    Integer epochs();

    @Option(
            order = 260,
            names = "--seed",
            paramLabel = "N",
            converter = NumberFlag.Seed.class,
            description = "Decides order and augmentation (default: 42, or that of the resume token).")
    @Nullable Long seed();

    @Option(
            order = 270,
            names = "--rank",
            paramLabel = "R",
            converter = NumberFlag.Rank.class,
            description = "This process's rank; needs --world. From torchrun, Slurm or Open MPI by default.")
    @Nullable Integer rank();

    @Option(
            order = 280,
            names = "--world",
            paramLabel = "W",
            converter = NumberFlag.Members.class,
            description = "The number of ranks; needs --rank.")
    @Nullable Integer world();

    @Option(
            order = 290,
            names = "--local-world",
            paramLabel = "L",
            converter = NumberFlag.Members.class,
            description = "Ranks on each node, numbered node by node; needs --rank and --world.")
    @Nullable Integer localWorld();

    @Option(
            order = 300,
            names = "--shard",
            paramLabel = "MODE",
            converter = Flags.Shards.class,
            description = "global distributes samples over ranks again in every epoch (default), stable keeps each "
                    + "rank's part, reshard=K for K epochs; :P sets the number of partitions (default: ranks), "
                    + ":PxN also the draws that each has in a row.")
    @Nullable ShardMode shard();

    @Option(
            order = 310,
            names = "--lazy-shard",
            paramLabel = "rank|node|disk",
            converter = LazySpec.Reader.class,
            description = "Draw only as many samples per rank or node as its cache holds; with ,overflow=0.1 ,min=1000 "
                    + "and ,agree=DIR where ranks have caches of different sizes.")
    @Nullable LazySpec lazyShard();

    @Option(
            order = 320,
            names = "--in-flight",
            paramLabel = "N",
            converter = NumberFlag.InFlight.class,
            description = "Loads begun and not yet delivered (default: 16 a processor, at least 32).")
    @Nullable Integer inFlight();

    @Option(
            order = 330,
            names = "--unordered",
            paramLabel = "N",
            converter = NumberFlag.Window.class,
            description = "Deliver samples as they are loaded, less than N draws ahead of the first that is missing.")
    @Nullable Integer unordered();

    @Option(
            order = 340,
            names = "--prefetch-bytes",
            paramLabel = "SIZE",
            converter = Flags.Size.class,
            description = "Bytes of samples loaded and not yet stacked into batches, at most: 256MiB, or 5%% of free.")
    @Nullable ByteSize prefetchBytes();

    @Option(
            order = 350,
            names = "--workers",
            paramLabel = "N",
            converter = NumberFlag.Threads.class,
            description = "Threads that run stages (default: one a processor).")
    @Nullable Integer workers();

    @Option(
            order = 360,
            names = "--resume",
            paramLabel = "TOKEN",
            description = "Resume where another run stopped: the token it printed, or @FILE.")
    @Nullable String resume();

    @Option(
            order = 370,
            names = "--resume-file",
            paramLabel = "FILE",
            description = "Resume at the token in this file, if there is one; keep the token there after each batch.")
    @Nullable Path resumeFile();

    @Option(
            order = 380,
            names = "--stop-after",
            paramLabel = "BATCHES",
            converter = NumberFlag.Count.class,
            description = "End after this number of batches.")
    @Nullable Integer stopAfter();

    @Option(order = 390, names = "--digest", description = "Hash order and content of every epoch.")
    boolean digest();

    @Option(
            order = 400,
            names = "--on-error",
            paramLabel = "fail|skip|substitute",
            defaultValue = "fail",
            converter = Flags.OnErrors.class,
            description = "What to do with a sample that cannot be loaded (default: ${DEFAULT-VALUE}).")
    Flags.OnError onError();

    @Option(
            order = 410,
            names = "--error-budget",
            paramLabel = "N|P%",
            converter = Flags.Budget.class,
            description = "How many different samples may fail: 10, or 0.5%%. Unlimited by default.")
    @Nullable ErrorBudget errorBudget();

    @Option(
            order = 420,
            names = "--retries",
            paramLabel = "N",
            defaultValue = "0",
            converter = NumberFlag.Retries.class,
            description = "Load a failing sample again at most this number of times (default: ${DEFAULT-VALUE}).")
    int retries();

    @Option(
            order = 430,
            names = "--quarantine",
            paramLabel = "FILE",
            description = "Write a line for every sample that cannot be loaded.")
    @Nullable Path quarantine();

    @Option(
            order = 460,
            names = "--headroom",
            description = "Deliver the last batches repeatedly at the end, to measure the consumer alone.")
    boolean headroom();

    @Option(
            order = 470,
            names = "--metrics-port",
            paramLabel = "N",
            converter = NumberFlag.Port.class,
            description = "Serve counts for Prometheus at http://127.0.0.1:N/metrics in the run; 0 takes any port.")
    @Nullable Integer metricsPort();

    @Option(
            order = 480,
            names = "--metrics-host",
            paramLabel = "ADDRESS",
            description = "Serve them at this address of the machine, so that others can read them; 0.0.0.0 is all.")
    @Nullable String metricsHost();

    @Option(order = 490, names = "--json", description = "Print one JSON object a line, and nothing else.")
    boolean json();

    @Option(
            order = 500,
            names = "--batch-events",
            description = "With --json: print an event for every batch, with the token that resumes after it.")
    boolean batchEvents();
}
