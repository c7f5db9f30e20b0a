package io.penstock.cli.source;

import io.penstock.annotation.AnnotatedImages;
import io.penstock.array.ArrayRows;
import io.penstock.array.NpzRows;
import io.penstock.fault.FormatException;
import io.penstock.folder.ImageFolder;
import io.penstock.folder.LabelledFile;
import io.penstock.hdf5.Hdf5Rows;
import io.penstock.internal.Arguments;
import io.penstock.kafka.KafkaTopic;
import io.penstock.manifest.ManifestDataset;
import io.penstock.mds.MdsShards;
import io.penstock.pipeline.Dataset;
import io.penstock.records.RecordFiles;
import io.penstock.shard.TarSample;
import io.penstock.shard.TarSamples;
import io.penstock.shard.TarShards;
import io.penstock.shard.TfRecords;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.http.HttpStore;
import io.penstock.table.Examples;
import io.penstock.table.Table;
import io.penstock.table.TableFormat;
import io.penstock.table.TableOptions;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.text.TextLines;
import io.penstock.zarr.ZarrArray;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Opens what a {@link SourceSpec} names. All of it blocks. A cache is the directory of one, in which lists, indexes and
 * parsed annotations are kept for the next run; null for none.
 */
public final class Sources {

    /** The folder in a cache's directory for what reading tar archives needs. */
    public static final String TAR_INDEX = "tar-index";

    /** The folder there for the lengths of texts. */
    public static final String LENGTHS = "lengths";

    /** The folder there for the lists of buckets. */
    public static final String LISTS = "lists";

    private static final int PROBES = 256;

    private Sources() {}

    /**
     * Images that have classes.
     *
     * @param classes how many images each has, in the order of the labels; empty where there are none
     */
    public record LabelledImages(Dataset<LabelledFile> files, Map<String, Integer> classes, Listing listing) {
        private static LabelledImages of(ImageFolder images) {
            Listing listing = new Listing(i -> images.labels().get(images.label(i)), images::bytes);
            return new LabelledImages(images, images.labelCounts(), listing);
        }

        private static LabelledImages of(ManifestDataset files) {
            List<String> words = files.labels();
            Listing listing = new Listing(
                    i -> words.isEmpty() ? Integer.toString(files.label(i)) : words.get(files.label(i)), files::bytes);
            return new LabelledImages(files, files.labelCounts(), listing);
        }
    }

    /** By the labels of a manifest that has some, else by class folders. */
    public static LabelledImages images(SourceSpec source, @Nullable Path cache) {
        StorePlace place = source.place();
        if (!place.isHttp() || place.isZip()) {
            return LabelledImages.of(ImageFolder.open(place.open(cache), source.number()));
        }
        HttpStore far = place.openManifest();
        Manifest manifest = Manifest.open(far, far.manifest().orElseThrow());
        Store store = place.mirrored(far);
        boolean labelled = manifest.lines().stream()
                .filter(line -> ImageFolder.isImage(line.key()))
                .anyMatch(line -> line.label() != null || line.number() >= 0);
        if (!labelled) {
            return LabelledImages.of(ImageFolder.open(store, source.number()));
        }
        Arguments.refuse(source.number() > 0, "--depth is for class folders: the manifest %s has labels", place);
        return LabelledImages.of(ManifestDataset.of(store, manifest.only(ImageFolder::isImage)));
    }

    public static RecordFiles records(SourceSpec source) {
        int bytes = source.number();
        return source.place()
                .open(path -> RecordFiles.open(path, bytes), (store, key) -> RecordFiles.open(store, key, bytes));
    }

    public static ZarrArray zarr(SourceSpec source) {
        return Objects.requireNonNull(
                ZarrArray.open(source.place().open(), source.array()).block(), "an array");
    }

    /**
     * With the states of its chunks in their keys where the store can be listed, so that one written again is not taken
     * from a cache.
     */
    private static ZarrArray zarrToKeep(SourceSpec source) {
        ZarrArray array = zarr(source);
        return source.place().canBeListed()
                ? Objects.requireNonNull(array.checkingChunks().block(), "an array")
                : array;
    }

    public static TarShards shards(SourceSpec source) {
        return MaterializedShards.in(source.place()).open(TarShards::open, TarShards::open);
    }

    static TarSamples tar(SourceSpec source, @Nullable Path cache) {
        TarShards shards = shards(source);
        return cache == null ? shards.index() : shards.index(cache.resolve(TAR_INDEX));
    }

    /** The first sample that can be read: those before it may be damaged archives. Blocks. */
    public static TarSample firstReadable(TarSamples samples) {
        return Flux.range(0, (int) Math.min(samples.size(), PROBES))
                .concatMap(index -> samples.get(index).onErrorResume(FormatException.class, e -> Mono.empty()))
                .next()
                .switchIfEmpty(samples.get(0))
                .blockOptional()
                .orElseThrow();
    }

    public static TextLines lines(SourceSpec source) {
        return source.kind() == SourceSpec.Kind.JSON
                ? source.place().open(TextLines::openJson, TextLines::openJson)
                : source.place().open(TextLines::open, TextLines::open);
    }

    public static Dataset<Tensor> kafka(SourceSpec source) {
        KafkaAddress address = KafkaAddress.parse(source.place().text());
        return KafkaTopic.open(address.topic(), address.settings(), KafkaAddress.ranges(source.rest()))
                .values();
    }

    public static TableRows rows(SourceSpec source, @Nullable Path cache) {
        TableColumns columns = source.columns();
        StorePlace files = source.place();
        Path index = cache == null ? null : cache.resolve(TAR_INDEX);
        switch (source.kind()) {
            case TFRECORD -> {
                TfRecords records = files.open(
                        path -> TfRecords.open(path, index), (store, key) -> TfRecords.open(store, key, index));
                Examples examples = Examples.of(records, columns.options());
                return new TableRows(examples, examples.schema(), examples.fields(), columns);
            }
            case MDS -> {
                MdsShards shards = MdsShards.open(files.open(cache), columns.withoutTypes(source.words()), index);
                return new TableRows(shards, shards.schema(), shards.fields(), columns);
            }
            case HDF5 -> {
                Hdf5Rows rows = Hdf5Rows.open(files.path(), columns.withoutTypes(source.words()));
                return new TableRows(rows, rows.schema(), rows.fields(), columns);
            }
            case NPZ -> {
                NpzRows rows = NpzRows.open(files.open(), columns.withoutTypes(source.words()));
                return new TableRows(rows, rows.schema(), rows.fields(), columns);
            }
            default -> {
                Table table = table(source, format(source.kind(), index), columns.options(), cache);
                return new TableRows(table, table.schema(), table.fields(), columns);
            }
        }
    }

    private static Table table(SourceSpec source, TableFormat format, TableOptions options, @Nullable Path cache) {
        StorePlace files = source.place();
        if (!files.isRemote()) {
            return Table.open(files.path(), format, options);
        }
        // JSON lines end as a manifest does
        StorePlace.Located far = files.isManifest() && source.kind() != SourceSpec.Kind.JSONL
                ? new StorePlace.Located(files.mirrored(files.openManifest()), "")
                : files.locateTable(cache);
        return Table.open(far.store(), far.key(), format, options);
    }

    private static TableFormat format(SourceSpec.Kind kind, @Nullable Path index) {
        return switch (kind) {
            case PARQUET -> TableFormat.parquet();
            case ARROW -> TableFormat.arrow();
            default -> {
                TableFormat text = kind == SourceSpec.Kind.CSV ? TableFormat.csv() : TableFormat.jsonLines();
                yield index == null ? text : text.index(index);
            }
        };
    }

    /** Images with boxes, masks or texts, or with nothing. */
    public static AnnotatedImages annotated(SourceSpec source, @Nullable Path cache) {
        Path kept = cache == null ? null : cache.resolve(TAR_INDEX);
        List<String> fields = source.fields().isEmpty() ? List.of("boxes", "classes") : source.fields();
        String second = source.second();
        return switch (source.kind()) {
            case IMAGES -> AnnotatedImages.bare(source.place().open(cache));
            case PAIRS -> AnnotatedImages.pairs(source.place().open(cache), new StorePlace(second).open(cache));
            case COCO -> {
                StorePlace.Located file = source.place().locateNear();
                Store images = second.isEmpty() ? file.store() : new StorePlace(second).open(cache);
                yield AnnotatedImages.coco(file.store(), file.key(), images, fields, kept);
            }
            case VOC -> AnnotatedImages.voc(source.place().open(cache), second, fields, kept);
            default -> AnnotatedImages.yolo(source.place().open(cache), second, fields, kept);
        };
    }

    public static ArrayRows array(SourceSpec source) {
        StorePlace file = source.place();
        if (source.kind() == SourceSpec.Kind.IDX) {
            return file.open(ArrayRows::openIdx, ArrayRows::openIdx);
        }
        return file.isNpz()
                ? ArrayRows.openNpz(file.open(), source.array())
                : file.open(ArrayRows::openNpy, ArrayRows::openNpy);
    }

    /** A source whose samples are one tensor each, with keys that a cache may keep. */
    static Cacheable<Tensor> tensors(SourceSpec source) {
        return switch (source.kind()) {
            case RECORDS -> tensors(records(source), TarParts.BYTES, source.number() + (long) Cacheable.BESIDE);
            case TEXT, JSON -> tensors(lines(source).bytes(), TarParts.BYTES, 0);
            case KAFKA -> tensors(kafka(source), TarParts.BYTES, 0);
            case ZARR -> tensors(zarrToKeep(source).rows(), TarParts.VALUES, 0);
            default -> tensors(array(source), TarParts.VALUES, 0);
        };
    }

    private static Cacheable<Tensor> tensors(Dataset<Tensor> samples, String field, long bytes) {
        return new Cacheable<>(samples, Schema.tensor(field), bytes);
    }
}
