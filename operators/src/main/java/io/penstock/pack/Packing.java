package io.penstock.pack;

import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Group;
import io.penstock.tensor.Tensor;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Packs sequences of varying lengths into rows of n tokens, so that few cells are padding.
 * <pre>{@code
 *  Dataset<Tensor> tokens = texts.map("cl100k_base", BpeTokenizer.of("cl100k_base")).cache(tier, Schema.tensor("tokens"));
 *  int[] lengths = tokens.counts("length", Packing::length, Indexing.keptIn(folder)).block();
 *  Dataset<PackedRow> rows = Packing.of(2_048).over(tokens, lengths);
 * }</pre>
 *
 * <p>The rows are planned once, from the lengths alone ({@link PackPlan}), and are a dataset like any other: a
 * {@code Sampler} shuffles them in every epoch and shares them among ranks, a position counts rows, and resuming is
 * exact at any world size. The same sequences share a row in every epoch; another {@link #seed} gives other rows.
 *
 * <p>What is expensive belongs before packing, and into a cache there: a change of one text then loads that text alone,
 * while it changes the plan and so the key of every row.
 *
 * <p>Immutable; every method returns a copy.
 */
public final class Packing<T> {

    private final int rowSize;
    private final Function<? super T, Tensor> tokens;
    private final @Nullable Function<? super T, Tensor> lossMask;
    private final TooLong tooLong;
    private final long seed;

    private Packing(
            int rowSize,
            Function<? super T, Tensor> tokens,
            @Nullable Function<? super T, Tensor> lossMask,
            TooLong tooLong,
            long seed) {
        Arguments.refuse(rowSize < 1, "a row must have at least 1 token, was %s", rowSize);
        this.rowSize = rowSize;
        this.tokens = Objects.requireNonNull(tokens, "tokens");
        this.lossMask = lossMask;
        this.tooLong = Objects.requireNonNull(tooLong, "tooLong");
        this.seed = seed;
    }

    /**
     * Rows of {@code n} tokens, of samples that are the tokens themselves.
     * @throws IllegalArgumentException if {@code n < 1}
     */
    public static Packing<Tensor> of(int n) {
        return of(n, Function.identity());
    }

    /**
     * Rows of {@code n} tokens.
     * @param tokens of a sample: one axis, whole numbers, of one dtype in all samples
     * @throws IllegalArgumentException if {@code n < 1}
     */
    public static <T> Packing<T> of(int n, Function<? super T, Tensor> tokens) {
        return new Packing<>(n, tokens, null, TooLong.FAIL, 0);
    }

    /**
     * Which tokens of a sample the loss counts: as many values as tokens, of one dtype in all samples. Unless set, all
     * tokens count.
     */
    public Packing<T> lossMask(Function<? super T, Tensor> lossMask) {
        return new Packing<>(rowSize, tokens, Objects.requireNonNull(lossMask, "lossMask"), tooLong, seed);
    }

    /** What becomes of a sequence that is longer than a row: {@link TooLong#FAIL} unless set. */
    public Packing<T> tooLong(TooLong tooLong) {
        return new Packing<>(rowSize, tokens, lossMask, tooLong, seed);
    }

    /** The seed of the order in which sequences are assigned to rows: 0 unless set. */
    public Packing<T> seed(long seed) {
        return new Packing<>(rowSize, tokens, lossMask, tooLong, seed);
    }

    /** The number of tokens of a tensor of tokens, for {@link Dataset#counts}. */
    public static int length(Tensor tokens) {
        return Math.toIntExact(tokens.shape().elements());
    }

    /**
     * The rows of sequences of these lengths. Takes less than a microsecond a sequence. A sequence of length 0 is in no
     * row.
     * @throws IllegalArgumentException if a length is negative, all are 0, there is none, or one is too long
     */
    public PackPlan plan(int[] lengths) {
        return PackPlan.of(rowSize, tooLong, seed, lengths);
    }

    /**
     * The dataset of the rows that {@link #plan} makes.
     * @param lengths the number of tokens of each sample, by index, as {@link Dataset#counts} finds them
     * @throws IllegalArgumentException as for {@link #plan}, or if the dataset has not as many samples as lengths
     */
    public Dataset<PackedRow> over(Dataset<T> dataset, int[] lengths) {
        return over(dataset, plan(lengths));
    }

    /** The same with a plan at hand, which says how full the rows are. */
    public Dataset<PackedRow> over(Dataset<T> dataset, PackPlan plan) {
        Lengths.check(dataset, plan.sequences());
        return dataset.group(plan).map("pack " + plan.rowSize(), group -> row(plan, group));
    }

    private PackedRow row(PackPlan plan, Group<T> group) {
        RowWriter row = new RowWriter(plan.rowSize());
        int piece = plan.first(Math.toIntExact(group.number()));
        for (T sample : group.samples()) {
            Tensor ids = tokens.apply(sample);
            Tensor mask = lossMask == null ? null : lossMask.apply(sample);
            row.add(plan.sequence(piece), ids, plan.planned(piece), mask, plan.begin(piece), plan.length(piece));
            piece++;
        }
        return row.toRow();
    }
}
