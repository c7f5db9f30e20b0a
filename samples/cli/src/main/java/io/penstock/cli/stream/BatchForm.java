package io.penstock.cli.stream;

import io.penstock.batch.Batches;
import io.penstock.cli.flag.BatchLayout;
import io.penstock.cli.source.SampleRows;

/** What the flags say of the form of batches: their remainder, padding, layout, dtypes and indices. */
final class BatchForm {

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
