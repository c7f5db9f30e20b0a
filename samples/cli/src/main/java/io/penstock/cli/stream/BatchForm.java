package io.penstock.cli.stream;

import io.penstock.batch.Batches;
import io.penstock.cli.flag.BatchLayout;
import io.penstock.cli.source.SampleRows;
import io.penstock.cli.source.SourceSpec;
import io.penstock.pipeline.Pipeline;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the flags say of the form of batches: their remainder, padding, layout, dtypes and indices. */
final class BatchForm {

    private static final Pattern FIELD = Pattern.compile("^cannot batch field \"(.*?)\"");
    private static final Pattern SAMPLE = Pattern.compile("\\bsample (\\d+) is");

    private BatchForm() {}

    /** @throws IllegalArgumentException if a field that a flag names is not there */
    static <T> Batches<T> batches(StreamOptions options, SampleRows<T> rows, int draws) {
        Batches<T> batches = rows.batches(draws).remainder(options.remainder());
        if (options.withIndices()) {
            batches = batches.withIndices();
        }
        if (options.layout() != null) {
            batches = options.layout().of(batches, rows.schema().names());
        }
        if (options.longs() != null) {
            batches = batches.asLongs(options.longs().toArray(String[]::new));
        }
        return options.pad() ? batches.padShapes() : batches;
    }

    /** A refusal of a batch with the names of its samples and the flags that help. */
    static RuntimeException named(StreamOptions options, RuntimeException refusal, Pipeline<?> pipeline) {
        String message = String.valueOf(refusal.getMessage());
        Matcher field = FIELD.matcher(message);
        if (!field.find()) {
            return refusal;
        }
        String named = SAMPLE.matcher(message)
                .replaceAll(sample -> Matcher.quoteReplacement("sample %s (%s) is"
                        .formatted(sample.group(1), pipeline.name(Long.parseLong(sample.group(1))))));
        boolean isTable = options.sources().stream().anyMatch(SourceSpec.Rows.class::isInstance);
        String typed =
                isTable ? ", or give a column of numbers its type, as in #%s:float".formatted(field.group(1)) : "";
        return new IllegalArgumentException(
                named.replace(", or give a column of numbers its type, as in fare:float", typed), refusal);
    }

    /** The same in words, which name no default, so that plans of before stay equal. */
    static String words(StreamOptions options) {
        BatchLayout layout = options.layout();
        return options.remainder()
                + (options.pad() ? ", padded" : "")
                + (layout == null || !layout.channelsFirst() ? "" : ", " + layout)
                + (options.longs() == null ? "" : ", longs " + options.longs())
                + (options.withIndices() ? ", with indices" : "");
    }
}
