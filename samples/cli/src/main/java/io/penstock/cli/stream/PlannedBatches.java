package io.penstock.cli.stream;

import io.penstock.order.Remainder;
import io.penstock.pack.LengthBuckets;
import io.penstock.pack.TokenBudget;
import io.penstock.pipeline.Grouping;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The batches of {@code --batch-tokens} and {@code --bucket}, which are planned from the lengths of all samples. */
final class PlannedBatches {

    private PlannedBatches() {}

    /** The flag that asks for them; null if none does. */
    static @Nullable String flag(StreamOptions options) {
        if (TextOptions.of(options).batchTokens != null) {
            return "--batch-tokens";
        }
        return options.bucket() == null ? null : "--bucket";
    }

    /** @throws IllegalArgumentException if other flags do not fit to them */
    static void requireConsistent(StreamOptions options) {
        String flag = flag(options);
        if (flag == null) {
            return;
        }
        TextOptions texts = TextOptions.of(options);
        boolean tokens = texts.batchTokens != null;
        refuse(texts.pack != null, flag + " and --pack exclude each other: packed rows have one length");
        refuse(
                tokens && options.batch() != null,
                flag + " and --batch exclude each other: the number of tokens ends a batch");
        refuse(
                tokens && options.bucket() != null,
                flag + " and --bucket exclude each other: both group samples of similar lengths");
        refuse(
                options.withIndices(),
                flag + " and --with-indices exclude each other: a batch is planned as one draw of several samples");
        refuse(
                options.weights() != null,
                flag + " and --weights exclude each other: a batch has samples of all sources");
        refuse(
                options.remainder() == Remainder.PAD,
                flag + " and --remainder pad exclude each other: each batch has a number of rows of its own");
        refuse(
                options.lazyShard() != null,
                flag + " and --lazy-shard exclude each other: a lazy shard has as many samples as a cache holds,"
                        + " not batches");
    }

    private static void refuse(boolean given, String words) {
        if (given) {
            throw new IllegalArgumentException(words);
        }
    }

    /** @param draws how many samples {@code --batch} says */
    static Grouping of(StreamOptions options, int draws, int[] lengths) {
        List<Integer> bounds = options.bucket();
        if (bounds != null) {
            return LengthBuckets.of(
                            draws, bounds.stream().mapToInt(bound -> bound).toArray())
                    .plan(lengths);
        }
        int batchTokens = Objects.requireNonNullElse(TextOptions.of(options).batchTokens, 0);
        int longest = IntStream.of(lengths).max().orElse(0);
        if (longest > batchTokens) {
            throw new IllegalArgumentException(
                    ("the longest text has %d tokens, more than --batch-tokens %d: give --batch-tokens %1$d or more, "
                                    + "or pack the texts with --pack N --too-long cut or split")
                            .formatted(longest, batchTokens));
        }
        return TokenBudget.of(batchTokens).plan(lengths);
    }
}
