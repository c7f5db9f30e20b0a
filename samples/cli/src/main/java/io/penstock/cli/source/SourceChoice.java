package io.penstock.cli.source;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is read, as the flags say it.
 *
 * @param sources one after another
 * @param resize  the side of every image; null where they stay as they are
 * @param depth   the levels of folders above the classes; null where no flag says it
 * @param filters which samples are read: those that all of them take
 * @param split   the part of these; null for all
 * @param texts   how texts become tokens; null where they stay bytes
 */
public record SourceChoice(
        List<SourceSpec> sources,
        @Nullable Integer resize,
        @Nullable Integer depth,
        List<SampleFilter> filters,
        @Nullable SplitShare split,
        @Nullable Texts texts) {

    /**
     * How texts become tokens.
     *
     * @param tokenizer bytes, an encoding's name, or a tokenizer.json
     * @param field     of JSON lines that has the text
     */
    public record Texts(String tokenizer, String field) {}

    /** Without tokens. */
    public SourceChoice(
            List<SourceSpec> sources,
            @Nullable Integer resize,
            @Nullable Integer depth,
            List<SampleFilter> filters,
            @Nullable SplitShare split) {
        this(sources, resize, depth, filters, split, null);
    }
}
