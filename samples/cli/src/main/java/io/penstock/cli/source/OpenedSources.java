package io.penstock.cli.source;

import io.penstock.annotation.AnnotatedImages;
import io.penstock.folder.LabelledFile;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.internal.Arguments;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens sources: each with its stages, all of them one after another, and of these some samples. */
final class OpenedSources {

    private static final Logger LOG = LoggerFactory.getLogger(OpenedSources.class);

    private final @Nullable Integer resize;
    private final List<SampleFilter> filters;
    private final @Nullable SplitShare split;
    private final @Nullable Path cache;
    private final @Nullable Tokenize tokenize;
    private final List<SourceSpec> sources = new ArrayList<>();
    private final List<Cacheable<Picture>> pictures = new ArrayList<>();
    private final List<Cacheable<Tensor>> tensors = new ArrayList<>();
    private final List<Cacheable<Row>> rows = new ArrayList<>();

    /**
     * @param resize   the side of every image; null where they stay as they are
     * @param filters  which samples are read: those that all of them take
     * @param split    the part of these; null for all
     * @param cache    the directory of the cache on disk, for what is kept beside the samples; null where there is none
     * @param tokenize makes tokens of texts; null where they stay bytes
     */
    OpenedSources(
            @Nullable Integer resize,
            List<SampleFilter> filters,
            @Nullable SplitShare split,
            @Nullable Path cache,
            @Nullable Tokenize tokenize) {
        this.resize = resize;
        this.filters = filters;
        this.split = split;
        this.cache = cache;
        this.tokenize = tokenize;
    }

    void add(SourceSpec source) {
        sources.add(source);
        SourceSpec.Kind kind = source.kind();
        if (tokenize != null) {
            tensors.add(tokens(source, tokenize));
        } else if (kind.isTable()) {
            addTable(Sources.rows(source, cache));
        } else if (source.isAnnotated()) {
            rows.add(decoded(Sources.annotated(source, cache)));
        } else {
            switch (kind) {
                case IMAGES, HTTP -> pictures.add(pictures(Sources.images(source, cache)));
                case TAR -> addShards(Sources.tar(source, cache));
                case HF -> addHub(HubFolder.open(source, cache));
                default -> {
                    requireNoResize();
                    tensors.add(Sources.tensors(source));
                }
            }
        }
    }

    private void addHub(HubFolder folder) {
        String images = folder.images();
        if (folder.isClassFolders()) {
            pictures.add(pictures(Sources.images(folder.classFolders(), cache)));
        } else if (images == null) {
            addTable(folder.table());
        } else {
            Cacheable<Row> all = decoded(AnnotatedImages.bare(folder.store()));
            Dataset<Row> dataset = all.dataset();
            dataset = dataset.selectIf(
                    "in /" + images, index -> all.dataset().name(index).startsWith(images));
            JoinedSource named = new JoinedSource(new Cacheable<>(dataset, all.schema(), 0), false, "");
            rows.add(named.join(new JoinedSource(folder.table().rows(), true, images), true));
        }
    }

    private void addShards(TarSamples samples) {
        TarArrays arrays = TarArrays.of(samples);
        if (arrays.hasPictures()) {
            pictures.add(arrays.pictures(resize));
        } else if (resize == null) {
            tensors.add(arrays.tensors());
        } else {
            pictures.add(pictures(labelled(samples)));
        }
    }

    private Cacheable<Row> decoded(AnnotatedImages images) {
        ImageDecoder decoder = ImageDecoder.fastest();
        Dataset<Row> decoded = images.decode("decode " + decoder.id(), decoder::decode, decoder::decodeStored);
        if (resize != null) {
            Resize exact = Resize.exact(resize, resize);
            decoded = decoded.map(exact.toString(), row -> RowParts.with(row, exact.apply(RowParts.of(row))));
        }
        return new Cacheable<>(decoded, images.decodedSchema(), 0);
    }

    private void addTable(TableRows table) {
        String picture = table.columns().picture();
        if (picture != null) {
            pictures.add(pictures(table.files(picture)));
            return;
        }
        requireNoResize();
        if (table.isTensors()) {
            tensors.add(table.tensors());
        } else {
            rows.add(table.rows());
        }
    }

    /**
     * All of them, as the one kind that they have.
     * @throws IllegalArgumentException if they have several, or no sample is left
     */
    <R> R together(
            Function<Cacheable<Picture>, R> ofPictures,
            Function<Cacheable<Tensor>, R> ofTensors,
            Function<Cacheable<Row>, R> ofRows) {
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
            return ofRows.apply(together(rows));
        }
        return tensors.isEmpty() ? ofPictures.apply(together(pictures)) : ofTensors.apply(together(tensors));
    }

    private Cacheable<Tensor> tokens(SourceSpec source, Tokenize by) {
        Dataset<Tensor> tokens;
        if (source.kind().isTable()) {
            TableRows found = Sources.rows(source, cache);
            if (!found.isTensors()) {
                throw new IllegalArgumentException(
                        "--tokenize needs one column of text, as in %s#text".formatted(source.words()));
            }
            tokens = by.over(found.tensors().dataset(), false);
        } else if (source.kind() == SourceSpec.Kind.TEXT || source.kind() == SourceSpec.Kind.JSON) {
            tokens = by.over(Sources.lines(source).bytes(), source.kind() == SourceSpec.Kind.JSON);
        } else if (source.kind() == SourceSpec.Kind.KAFKA) {
            tokens = by.over(Sources.kafka(source), false);
        } else {
            throw new IllegalArgumentException(
                    "--tokenize is for text:, jsonl:, kafka: and tables, not for " + source.words());
        }
        return new Cacheable<>(tokens, Schema.tensor("tokens"), 0);
    }

    private void requireNoResize() {
        Arguments.refuse(
                resize != null, "--resize and --augment are for images; other samples are delivered as they are");
    }

    /** What is chosen of each source, one after another. */
    private <T> Cacheable<T> together(List<Cacheable<T>> opened) {
        Map<String, Integer> known = new LinkedHashMap<>();
        opened.forEach(each -> each.classes().forEach((name, count) -> known.merge(name, count, Integer::sum)));
        List<Cacheable<T>> chosen = opened.stream()
                .map(each -> each.only(filters, split, known.keySet()))
                .toList();
        Cacheable<T> all = chosen.size() == 1 ? chosen.get(0) : joined(chosen, sources);
        long before = opened.stream().mapToLong(each -> each.dataset().size()).sum();
        if (all.dataset().size() == 0 && before > 0) {
            throw new IllegalArgumentException("no sample is left of %,d: %s takes none".formatted(before, choosing()));
        }
        return all;
    }

    private String choosing() {
        return Stream.of(
                        filters.isEmpty() ? "" : "--filter " + SampleFilter.words(filters),
                        split == null ? "" : "--split " + split.words())
                .filter(flag -> !flag.isEmpty())
                .collect(Collectors.joining(" with "));
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

    private static Dataset<LabelledFile> labelled(TarSamples samples) {
        return samples.map(
                "image and cls",
                sample -> new LabelledFile(sample.key(), TarArrays.image(sample), TarArrays.label(sample)));
    }

    private Cacheable<Picture> pictures(Sources.LabelledImages images) {
        Cacheable<Picture> decoded = pictures(images.files());
        return new Cacheable<>(
                decoded.dataset(),
                decoded.schema(),
                decoded.sampleBytes(),
                images.classes(),
                images.listing(),
                List.of());
    }

    private Cacheable<Picture> pictures(Dataset<LabelledFile> listed) {
        Dataset<LabelledFile> files = listed.keepable(Schema.of(LabelledFile.class));
        ImageDecoder decoder = ImageDecoder.fastest();
        Dataset<Picture> decoded;
        if (resize == null) {
            decoded = files.map(
                    "decode " + decoder.id(), file -> new Picture(decoder.decode(file.bytes()), file.label()));
        } else {
            Resize exact = Resize.exact(resize, resize);
            decoded = files.map(
                    "decode %s reduced, %s".formatted(decoder.id(), exact),
                    file -> new Picture(decoder.decodeReduced(file.bytes(), exact), file.label()));
        }
        return new Cacheable<>(decoded, Schema.of(Picture.class), Cacheable.pictureBytes(resize));
    }
}
