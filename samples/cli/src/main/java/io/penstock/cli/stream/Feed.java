package io.penstock.cli.stream;

import io.penstock.augment.Augment;
import io.penstock.augment.AugmentSpec;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.OpenedSources;
import io.penstock.cli.source.Picture;
import io.penstock.cli.source.SampleRows;
import io.penstock.cli.source.SourceChoice;
import io.penstock.cli.source.SourceSpec;
import io.penstock.cli.source.Sources;
import io.penstock.order.Draw;
import io.penstock.pack.PackedRow;
import io.penstock.pack.Packing;
import io.penstock.pack.TooLong;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Group;
import io.penstock.pipeline.Grouping;
import io.penstock.pipeline.Indexing;
import io.penstock.pipeline.Pipeline;
import io.penstock.table.Row;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * A source with its stages on it.
 *
 * @param base     what goes into a cache
 * @param rows     that what it delivers becomes in batches
 * @param parts    the sources that lie one after another in what it delivers; none where it is one
 * @param pipeline all stages
 * @param dice     what is drawn for a sample, by the stage that draws it: of those behind which nothing can be cached
 */
public record Feed<T>(
        Cacheable<?> base,
        SampleRows<T> rows,
        List<Cacheable.Part> parts,
        Pipeline<T> pipeline,
        Map<String, Dice> dice) {

    private static final Logger LOG = LoggerFactory.getLogger(Feed.class);
    private static final int CHANNELS = 3;

    /** The parameters that a random stage draws; it loads the sample only where they depend on its size. */
    @FunctionalInterface
    interface Dice {
        Mono<? extends Record> drawn(Draw draw);
    }

    private static <T> Feed<T> of(Cacheable<T> base, Pipeline<T> pipeline, Map<String, Dice> dice) {
        return new Feed<>(base, new SampleRows.Single<>(base.schema()), base.parts(), pipeline, dice);
    }

    /** What a sample takes in a cache, about; 0 where it is not known beforehand. */
    long cachedBytes() {
        return base.sampleBytes();
    }

    /** The names of the stages behind which nothing can be cached. */
    Set<String> randomStages() {
        return dice.keySet();
    }

    /** What random stages draw. Blocks where a sample has to be loaded for it. */
    public Map<String, Record> dice(Draw draw) {
        Map<String, Record> drawn = new LinkedHashMap<>();
        dice.forEach((stage, each) -> each.drawn(draw).blockOptional().ifPresent(found -> drawn.put(stage, found)));
        return drawn;
    }

    /**
     * Opens what the flags name; lists the folder or asks for the file's size.
     * @param measuring what becomes of a sample that cannot be loaded to see its length; one that is skipped is left out
     * @param terminal  shows how far that is; null shows nothing
     */
    static Feed<?> open(StreamOptions options, RunCache cache, ErrorPolicy measuring, @Nullable PrintWriter terminal) {
        return OpenedSources.<Feed<?>>open(
                new SourceChoice(
                        SourceSpec.mirrored(options.sources(), options.mirror()),
                        options.resize(),
                        options.depth(),
                        Objects.requireNonNullElse(options.filters(), List.of()),
                        options.split(),
                        TextOptions.of(options).choice()),
                CacheOptions.of(options).directory(),
                decoded -> pictures(options, cache, measured(options, decoded)),
                samples -> tensors(options, cache, measured(options, samples), measuring, terminal),
                rows -> rows(options, cache, measured(options, rows)));
    }

    private static Feed<?> rows(StreamOptions options, RunCache cache, Cacheable<Row> rows) {
        if (options.augment() != null || PlannedBatches.flag(options) != null) {
            throw new IllegalArgumentException("--augment is for images, and batches by length are for samples of one"
                    + " field: choose a column, as in parquet:FILE#text");
        }
        return Feed.of(rows, rows.in(cache.of(rows), CacheOptions.of(options).verifyHits), Map.of());
    }

    private static Feed<?> tensors(
            StreamOptions options,
            RunCache cache,
            Cacheable<Tensor> samples,
            ErrorPolicy measuring,
            @Nullable PrintWriter terminal) {
        if (options.augment() != null) {
            throw new IllegalArgumentException(
                    "--resize and --augment are for images; other samples are delivered as they are");
        }
        Dataset<Tensor> kept = samples.in(cache.of(samples), CacheOptions.of(options).verifyHits);
        TextOptions texts = TextOptions.of(options);
        if (texts.pack == null && PlannedBatches.flag(options) == null) {
            return Feed.of(samples, kept, Map.of());
        }
        Path directory = CacheOptions.of(options).directory();
        Indexing indexing =
                directory == null ? Indexing.inMemory() : Indexing.keptIn(directory.resolve(Sources.LENGTHS));
        int[] counts = counts(kept, indexing.onError(measuring), terminal);
        int[] lengths = IntStream.of(counts)
                .filter(count -> count > 0)
                .map(count -> count - 1)
                .toArray();
        int broken = counts.length - lengths.length;
        if (broken > 0) {
            LOG.warn("{} of {} samples cannot be loaded and are in no batch", broken, counts.length);
            kept = kept.selectIf("measured", index -> counts[(int) index] > 0);
        }
        return texts.pack != null
                ? packed(samples, kept, lengths, texts.pack, texts.tooLong)
                : grouped(samples, kept, PlannedBatches.of(options, StreamPlan.batch(options), lengths));
    }

    /**
     * The length of each sample and 1 more, or 0 where it was skipped. Those that the directory of a cache does not know
     * are loaded for it, which fills the cache.
     */
    private static int[] counts(Dataset<Tensor> tokens, Indexing indexing, @Nullable PrintWriter terminal) {
        ProgressLine line = terminal == null ? null : new ProgressLine(terminal, true, tokens.size());
        Indexing shown = line == null
                ? indexing
                : indexing.progress(progress -> line.show("measuring samples", progress.examined(), "samples", ""));
        try {
            return Objects.requireNonNull(tokens.counts("length + 1", sample -> Packing.length(sample) + 1, shown)
                    .block());
        } finally {
            if (line != null) {
                line.clear();
            }
        }
    }

    private static Feed<Group<Tensor>> grouped(Cacheable<Tensor> samples, Dataset<Tensor> kept, Grouping plan) {
        return new Feed<>(
                samples, new SampleRows.Grouped<>(samples.schema(), plan), List.of(), kept.group(plan), Map.of());
    }

    private static Feed<PackedRow> packed(
            Cacheable<Tensor> samples, Dataset<Tensor> tokens, int[] lengths, int rowSize, @Nullable TooLong tooLong) {
        Dataset<PackedRow> rows = Packing.of(rowSize)
                .tooLong(Objects.requireNonNullElse(tooLong, TooLong.FAIL))
                .over(tokens, lengths);
        return new Feed<>(samples, new SampleRows.Single<>(Schema.of(PackedRow.class)), List.of(), rows, Map.of());
    }

    private static Feed<Picture> pictures(StreamOptions options, RunCache cache, Cacheable<Picture> decoded) {
        if (options.bucket() != null) {
            throw new IllegalArgumentException(
                    "--bucket is for texts and other samples with a length; bring images to one size with --resize");
        }
        Augment augment = options.augment() == null ? null : augment(options.augment(), options.resize());
        Dataset<Picture> kept = decoded.in(cache.of(decoded), CacheOptions.of(options).verifyHits);
        if (augment == null) {
            return Feed.of(decoded, kept, Map.of());
        }
        Pipeline<Picture> augmented = kept.augment(
                augment.name(), (picture, random) -> picture.with(pixels -> augment.apply(pixels, random)));
        return Feed.of(decoded, augmented, Map.of(augment.name(), dice(augment, kept, options.resize())));
    }

    /** @throws IllegalArgumentException if images of this side cannot be changed so */
    private static Augment augment(String words, @Nullable Integer side) {
        Augment augment = AugmentSpec.parse(words);
        if (side != null) {
            Shape shape = Shape.of(side, side, CHANNELS);
            try {
                augment.apply(
                        Tensor.of(DType.U8, shape, ByteBuffer.allocate((int) shape.elements())),
                        new SplittableRandom(0));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "--augment %s does not go with --resize %d: %s".formatted(words, side, e.getMessage()), e);
            }
        }
        return augment;
    }

    /** A lazy shard has to know how large samples are. */
    private static <T> Cacheable<T> measured(StreamOptions options, Cacheable<T> samples) {
        return options.lazyShard() == null ? samples : samples.measured();
    }

    private static Dice dice(Augment augment, Dataset<Picture> pictures, @Nullable Integer side) {
        if (side != null) {
            Shape shape = Shape.of(side, side, CHANNELS);
            return draw -> Mono.fromCallable(() -> augment.draw(shape, draw));
        }
        return draw -> pictures.get(draw.index())
                .map(picture -> augment.draw(picture.pixels().shape(), draw));
    }
}
