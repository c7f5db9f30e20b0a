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
 */
public record SourceChoice(
        List<SourceSpec> sources,
        @Nullable Integer resize,
        @Nullable Integer depth,
        List<SampleFilter> filters,
        @Nullable SplitShare split) {}
