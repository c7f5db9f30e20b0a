package io.penstock.cli.stream;

import io.penstock.batch.Batches;
import io.penstock.cli.flag.BatchLayout;
import io.penstock.cli.flag.Flags.OnError;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.source.SampleRows;
import io.penstock.internal.Arguments;
import io.penstock.order.ClassGroups;
import io.penstock.order.DrawnGroups;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pack.LengthBuckets;
import io.penstock.pack.TokenBudget;
import io.penstock.pipeline.Grouping;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags for batches: how many samples one has, and in which form. */
public final class BatchFlags {

    private static final int SAMPLES = 64;

    @Option(names = "--batch", paramLabel = "N", converter = NumberFlag.BatchSize.class)
    private @Nullable Integer batch;

    @Option(names = "--batch-tokens", paramLabel = "N", converter = NumberFlag.Count.class)
    private @Nullable Integer batchTokens;

    @Option(names = "--bucket", paramLabel = "A,B,…", split = ",", converter = NumberFlag.Count.class)
    @Nullable List<Integer> bucket;

    @Option(names = "--batch-classes", paramLabel = "P", converter = NumberFlag.Count.class)
    @Nullable Integer batchClasses;

    @Option(names = "--pad")
    private boolean pad;

    @Option(names = "--layout", paramLabel = "hwc|chw[:FIELDS]")
    private @Nullable BatchLayout layout;

    @Option(names = "--mix", paramLabel = "SPEC")
    private @Nullable String mix;

    @Option(names = "--longs", paramLabel = "FIELDS", split = ",")
    private @Nullable List<String> longs;

    @Option(names = "--with-indices")
    private boolean withIndices;

    @Option(names = "--remainder", paramLabel = "drop|pad|keep", defaultValue = "keep")
    private Remainder remainder = Remainder.KEEP;

    void check(TextFlags texts, OrderFlags order, OnError onError) {
        if (batchTokens != null && texts.tokenize == null) {
            throw new IllegalArgumentException("--batch-tokens needs --tokenize: it counts tokens");
        }
        if (withIndices && onError == OnError.SUBSTITUTE) {
            throw new IllegalArgumentException("--with-indices and --on-error substitute exclude each other:"
                    + " a substitute has another index than its draw");
        }
        boolean tokens = batchTokens != null;
        exclude(texts.pack != null, "--pack", "packed rows have one length");
        exclude(tokens && batch != null, "--batch", "the number of tokens ends a batch");
        exclude(tokens && bucket != null, "--bucket", "both group samples of similar lengths");
        exclude(batchClasses != null && (tokens || bucket != null), "--batch-classes", "both say what a batch has");
        if (batchClasses != null && samples() % batchClasses != 0) {
            throw new IllegalArgumentException(
                    "--batch must be a multiple of --batch-classes %d, was %d".formatted(batchClasses, samples()));
        }
        exclude(withIndices, "--with-indices", "a batch is planned as one draw of several samples");
        exclude(order.isMixed(), "--weights", "a batch has samples of all sources");
        exclude(remainder == Remainder.PAD, "--remainder pad", "each batch has a number of rows of its own");
        exclude(
                order.lazyShard != null,
                "--lazy-shard",
                "a lazy shard has as many samples as a cache holds, not batches");
    }

    private void exclude(boolean given, String flag, String why) {
        if (given && isPlanned()) {
            throw new IllegalArgumentException("%s and %s exclude each other: %s"
                    .formatted(
                            batchTokens != null ? "--batch-tokens" : bucket != null ? "--bucket" : "--batch-classes",
                            flag,
                            why));
        }
    }

    /** Whether each draw is a batch that is planned from the lengths or the classes of all samples. */
    public boolean isPlanned() {
        return batchTokens != null || bucket != null || batchClasses != null;
    }

    void requireNoClasses() {
        Arguments.refuse(batchClasses != null, "--batch-classes needs one source of images in folders of classes");
    }

    /** Batches of as many samples of each of some classes. */
    DrawnGroups classes(int... labels) {
        int classes = Objects.requireNonNull(batchClasses, "--batch-classes");
        return ClassGroups.of(labels).batches(classes, samples() / classes);
    }

    public boolean differ() {
        return pad || isPlanned() || mix != null;
    }

    public int draws() {
        return isPlanned() ? 1 : samples();
    }

    /** Whether a stage that writes pixels anew is to put their channels first. Lengths of padded rows are of height. */
    boolean takesPlanes() {
        return layout != null && layout.isOfPixels() && !pad;
    }

    private int samples() {
        return Objects.requireNonNullElse(batch, SAMPLES);
    }

    /** What becomes of batches that an epoch cuts short. */
    public Remainder remainder() {
        return remainder;
    }

    /** What becomes of draws: groups that do not divide leave some ranks a batch without rows, so that all keep step. */
    Remainder remainderOfDraws() {
        return isPlanned() && remainder == Remainder.KEEP ? Remainder.PAD : remainder;
    }

    /** The batches of samples of these lengths. Where they are not planned, nothing calls it. */
    Grouping plan(int[] lengths) {
        if (bucket != null) {
            return LengthBuckets.of(
                            samples(), bucket.stream().mapToInt(bound -> bound).toArray())
                    .plan(lengths);
        }
        int most = Objects.requireNonNull(batchTokens, "--batch-tokens");
        int longest = IntStream.of(lengths).max().orElse(0);
        if (longest > most) {
            throw new IllegalArgumentException(
                    ("the longest text has %d tokens, more than --batch-tokens %d: give --batch-tokens %1$d or more, "
                                    + "or pack the texts with --pack N --too-long cut or split")
                            .formatted(longest, most));
        }
        return TokenBudget.of(most).plan(lengths);
    }

    /** How samples are stacked, for one subscription. */
    <T> Batches<T> of(SampleRows<T> rows) {
        Batches<T> batches = rows.batches(draws()).remainder(remainder);
        if (withIndices) {
            batches = batches.withIndices();
        }
        if (layout != null) {
            batches = layout.of(batches, rows.schema().names(), rows.planes());
        }
        if (longs != null) {
            batches = batches.asLongs(longs.toArray(String[]::new));
        }
        return pad ? batches.padShapes() : batches;
    }

    List<MixWord> mixing(List<String> fields) {
        return mix == null ? List.of() : MixWord.parse(mix, fields);
    }

    /** @throws IllegalArgumentException if a run has no batch in any epoch, before it loads anything */
    void requireOne(Sampler sampler, long size) {
        Draws draws = sampler.draws(size);
        long inEpoch = Math.min(draws.count(), draws.count(draws.start().epoch()));
        if (remainder == Remainder.DROP
                && draws.start().equals(new Position(draws.start().epoch(), 0))
                && draws.start().epoch() < sampler.epochs()
                && size > 0
                && inEpoch < draws()) {
            throw new IllegalArgumentException(
                    ("--remainder drop leaves no batch: rank %d of %d has %d samples an epoch, and a batch is "
                                    + "%d; take a smaller --batch, or --remainder keep or pad")
                            .formatted(sampler.shard().rank(), sampler.shard().worldSize(), inEpoch, draws()));
        }
    }

    /** In words, which name no default, so that plans of before stay equal. */
    @Override
    public String toString() {
        return draws() + ", "
                + remainder
                + (pad ? ", padded" : "")
                + (layout == null || !layout.channelsFirst() ? "" : ", " + layout)
                + (mix == null ? "" : ", mix " + mix)
                + (longs == null ? "" : ", longs " + longs)
                + (withIndices ? ", with indices" : "");
    }
}
