package io.penstock.cli.source;

import io.penstock.folder.LabelledFile;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.pipeline.Dataset;
import io.penstock.shard.TarSamples;
import io.penstock.table.Row;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens what the flags choose: each source with its stages, all of them one after another, and of these some samples. */
public final class OpenedSources {

    private static final Logger LOG = LoggerFactory.getLogger(OpenedSources.class);

    private OpenedSources() {}

    /**
     * Opens what the flags name: lists the folders or asks for the files' sizes.
     * @param cache the directory of the cache on disk, for what is kept beside the samples; null where there is none
     * @throws IllegalArgumentException if the flags do not fit together
     */
    public static Cacheable<?> open(SourceChoice choice, @Nullable Path cache) {
        return OpenedSources.<Cacheable<?>>open(choice, cache, pictures -> pictures, tensors -> tensors, rows -> rows);
    }

    /** As {@link #open}, for who goes on differently with pictures than with other samples. */
    public static <R> R open(
            SourceChoice choice,
            @Nullable Path cache,
            Function<Cacheable<Picture>, R> ofPictures,
            Function<Cacheable<Tensor>, R> ofTensors,
            Function<Cacheable<Row>, R> ofRows) {
        List<Cacheable<Picture>> pictures = new ArrayList<>();
        List<Cacheable<Tensor>> tensors = new ArrayList<>();
        List<Cacheable<Row>> rows = new ArrayList<>();
        Tokenize tokenize = choice.texts() == null
                ? null
                : Tokenize.of(choice.texts().tokenizer(), choice.texts().field());
        for (SourceSpec each : choice.sources()) {
            if (tokenize != null) {
                tensors.add(tokens(each, tokenize, cache));
            } else {
                open(each.withDepth(choice.depth()), choice.resize(), cache, pictures, tensors, rows);
            }
        }
        int others = tensors.size() + rows.size();
        if (!pictures.isEmpty() && others > 0) {
            throw new IllegalArgumentException("the sources do not go together: %d have pictures, %d have other samples"
                    .formatted(pictures.size(), others));
        }
        if (!tensors.isEmpty() && !rows.isEmpty()) {
            throw new IllegalArgumentException(
                    "the sources do not go together: %d have one field a sample, %d have several"
                            .formatted(tensors.size(), rows.size()));
        }
        if (!rows.isEmpty()) {
            return ofRows.apply(together(rows, choice));
        }
        return tensors.isEmpty()
                ? ofPictures.apply(together(pictures, choice))
                : ofTensors.apply(together(tensors, choice));
    }

    private static Cacheable<Tensor> tokens(SourceSpec source, Tokenize tokenize, @Nullable Path cache) {
        if (source instanceof SourceSpec.Rows table) {
            TableRows rows = Sources.rows(table, cache);
            if (!rows.isTensors()) {
                throw new IllegalArgumentException(
                        "--tokenize needs one column of text, as in %s#text".formatted(table.words()));
            }
            return new Cacheable<>(tokenize.over(rows.tensors().dataset(), false), Schema.tensor("tokens"), 0);
        }
        if (!(source instanceof SourceSpec.Lines lines)) {
            throw new IllegalArgumentException("--tokenize is for text:, jsonl: and tables, not for " + source.words());
        }
        Dataset<Tensor> bytes = Sources.tensors(source);
        return new Cacheable<>(tokenize.over(bytes, lines.json()), Schema.tensor("tokens"), 0);
    }

    /** Opens one source, and adds it to those of its kind. */
    private static void open(
            SourceSpec source,
            @Nullable Integer resize,
            @Nullable Path cache,
            List<Cacheable<Picture>> ofPictures,
            List<Cacheable<Tensor>> ofTensors,
            List<Cacheable<Row>> ofRows) {
        if (source instanceof SourceSpec.Images images) {
            ofPictures.add(pictures(Sources.images(images, cache), resize));
        } else if (source instanceof SourceSpec.Tar tar) {
            TarSamples samples = Sources.tar(tar, cache);
            TarArrays arrays = TarArrays.of(samples);
            if (arrays.hasPictures()) {
                ofPictures.add(arrays.pictures(resize));
            } else if (resize == null) {
                ofTensors.add(arrays.tensors());
            } else {
                ofPictures.add(pictures(labelled(samples), resize));
            }
        } else if (source instanceof SourceSpec.Rows table) {
            TableRows rows = Sources.rows(table, cache);
            String picture = table.columns().picture();
            if (picture != null) {
                ofPictures.add(pictures(rows.files(picture), resize));
                return;
            }
            requireNoResize(resize);
            if (rows.isTensors()) {
                ofTensors.add(rows.tensors());
            } else {
                ofRows.add(rows.rows());
            }
        } else {
            ofTensors.add(tensors(source, resize));
        }
    }

    private static void requireNoResize(@Nullable Integer resize) {
        if (resize != null) {
            throw new IllegalArgumentException(
                    "--resize and --augment are for images; other samples are delivered as they are");
        }
    }

    /** What is chosen of each source, one after another. */
    private static <T> Cacheable<T> together(List<Cacheable<T>> sources, SourceChoice choice) {
        Map<String, Integer> known = new LinkedHashMap<>();
        sources.forEach(each -> each.classes().forEach((name, count) -> known.merge(name, count, Integer::sum)));
        List<Cacheable<T>> chosen = sources.stream()
                .map(each -> each.only(choice.filters(), choice.split(), known.keySet()))
                .toList();
        Cacheable<T> all = chosen.size() == 1 ? chosen.get(0) : joined(chosen, choice.sources());
        long before = sources.stream().mapToLong(each -> each.dataset().size()).sum();
        if (all.dataset().size() == 0 && before > 0) {
            throw new IllegalArgumentException(
                    "no sample is left of %,d: %s takes none".formatted(before, chosen(choice)));
        }
        return all;
    }

    /** The flags that choose some samples. */
    private static String chosen(SourceChoice choice) {
        String filters = choice.filters().isEmpty() ? "" : "--filter " + SampleFilter.words(choice.filters());
        String split = choice.split() == null ? "" : "--split " + choice.split().words();
        return filters + (filters.isEmpty() || split.isEmpty() ? "" : " with ") + split;
    }

    private static <T> Cacheable<T> joined(List<Cacheable<T>> sources, List<SourceSpec> specs) {
        Cacheable<T> first = sources.get(0);
        List<Dataset<T>> datasets = new ArrayList<>();
        List<Cacheable.Part> parts = new ArrayList<>();
        Map<String, Integer> classes = new LinkedHashMap<>();
        long largest = first.sampleBytes();
        for (Cacheable<T> each : sources) {
            if (!each.schema().id().equals(first.schema().id())) {
                throw new IllegalArgumentException(
                        "the sources do not go together: samples are %s in the first, %s in another"
                                .formatted(first.schema().id(), each.schema().id()));
            }
            if (!List.copyOf(each.classes().keySet())
                    .equals(List.copyOf(first.classes().keySet()))) {
                LOG.warn(
                        "the sources have different classes, so one label means different things: {} and {}",
                        first.classes().keySet(),
                        each.classes().keySet());
            }
            parts.add(new Cacheable.Part(
                    specs.get(parts.size()).words(), each.dataset().size()));
            datasets.add(each.dataset());
            each.classes().forEach((name, count) -> classes.merge(name, count, Integer::sum));
            largest = largest == 0 || each.sampleBytes() == 0 ? 0 : Math.max(largest, each.sampleBytes());
        }
        return new Cacheable<>(Dataset.concat(datasets), first.schema(), largest, classes, null, parts);
    }

    private static Cacheable<Tensor> tensors(SourceSpec source, @Nullable Integer resize) {
        requireNoResize(resize);
        Dataset<Tensor> samples = Sources.tensors(source);
        long bytes = source instanceof SourceSpec.Records records ? records.recordBytes() + (long) Cacheable.BESIDE : 0;
        return new Cacheable<>(samples, Schema.tensor(Sources.field(source)), bytes);
    }

    private static Dataset<LabelledFile> labelled(TarSamples samples) {
        return samples.map(
                "image and cls",
                sample -> new LabelledFile(sample.key(), TarPictures.image(sample), TarPictures.label(sample)));
    }

    private static Cacheable<Picture> pictures(Sources.LabelledImages images, @Nullable Integer resize) {
        Cacheable<Picture> pictures = pictures(images.files(), resize);
        return new Cacheable<>(
                pictures.dataset(),
                pictures.schema(),
                pictures.sampleBytes(),
                images.classes(),
                images.listing(),
                List.of());
    }

    private static Cacheable<Picture> pictures(Dataset<LabelledFile> files, @Nullable Integer resize) {
        return new Cacheable<>(
                decoded(files, ImageDecoder.fastest(), resize),
                Schema.of(Picture.class),
                Cacheable.pictureBytes(resize));
    }

    private static Dataset<Picture> decoded(Dataset<LabelledFile> files, ImageDecoder decoder, @Nullable Integer side) {
        if (side == null) {
            return files.map("decode " + decoder.id(), file -> new Picture(decoder.decode(file.bytes()), file.label()));
        }
        Resize resize = Resize.exact(side, side);
        return files.map(
                "decode %s reduced, %s".formatted(decoder.id(), resize),
                file -> new Picture(decoder.decodeReduced(file.bytes(), resize), file.label()));
    }
}
