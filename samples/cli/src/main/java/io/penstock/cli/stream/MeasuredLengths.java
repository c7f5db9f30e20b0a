package io.penstock.cli.stream;

import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.source.Sources;
import io.penstock.pack.Packing;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lengths of all samples that can be loaded, which rows and batches are planned from.
 *
 * @param samples that have one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record MeasuredLengths(Dataset<Tensor> samples, int[] each) {

    private static final Logger LOG = LoggerFactory.getLogger(MeasuredLengths.class);

    /**
     * Loads the samples whose lengths the directory of a cache does not know, which fills the cache. Blocks.
     * @param directory null where there is none
     * @param onError   what becomes of a sample that cannot be loaded; one that is skipped is left out
     * @param line      shows how far that is; null shows nothing
     */
    static MeasuredLengths measure(
            Dataset<Tensor> samples, @Nullable Path directory, ErrorPolicy onError, @Nullable ProgressLine line) {
        Indexing indexing = (directory == null
                        ? Indexing.inMemory()
                        : Indexing.keptIn(directory.resolve(Sources.LENGTHS)))
                .onError(onError);
        if (line != null) {
            indexing =
                    indexing.progress(progress -> line.show("measuring samples", progress.examined(), "samples", ""));
        }
        int[] counts; // the length and 1 more, or 0 where it was skipped
        try {
            counts = Objects.requireNonNull(samples.counts("length + 1", sample -> Packing.length(sample) + 1, indexing)
                    .block());
        } finally {
            if (line != null) {
                line.clear();
            }
        }
        int[] lengths = IntStream.of(counts)
                .filter(count -> count > 0)
                .map(count -> count - 1)
                .toArray();
        int broken = counts.length - lengths.length;
        if (broken == 0) {
            return new MeasuredLengths(samples, lengths);
        }
        LOG.warn("{} of {} samples cannot be loaded and are in no batch", broken, counts.length);
        return new MeasuredLengths(samples.selectIf("measured", index -> counts[(int) index] > 0), lengths);
    }
}
