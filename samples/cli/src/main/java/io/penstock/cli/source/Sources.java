package io.penstock.cli.source;

import io.penstock.array.ArrayRows;
import io.penstock.array.NpzRows;
import io.penstock.folder.ImageFolder;
import io.penstock.folder.LabelledFile;
import io.penstock.manifest.ManifestDataset;
import io.penstock.mds.MdsShards;
import io.penstock.pipeline.Dataset;
import io.penstock.records.RecordFiles;
import io.penstock.shard.TarSamples;
import io.penstock.shard.TarShards;
import io.penstock.shard.TfRecords;
import io.penstock.store.Manifest;
import io.penstock.store.Store;
import io.penstock.store.http.HttpStore;
import io.penstock.table.Examples;
import io.penstock.table.Table;
import io.penstock.tensor.Tensor;
import io.penstock.text.TextLines;
import io.penstock.zarr.ZarrArray;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Opens what a {@link SourceSpec} names. All of it blocks. */
public final class Sources {

    /** The folder in a cache's directory for what reading tar archives needs. */
    public static final String TAR_INDEX = "tar-index";

    /** The folder there for the lengths of texts. */
    public static final String LENGTHS = "lengths";

    /** The folder there for the lists of buckets. */
    public static final String LISTS = "lists";

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

    /**
     * By the labels of a manifest that has some, else by class folders.
     * @param cache the directory of a cache, in which the list of a bucket is kept for the next run; null for none
     */
    public static LabelledImages images(SourceSpec.Images source, @Nullable Path cache) {
        StorePlace place = source.place();
        if (!place.isHttp() || place.isZip()) {
            return LabelledImages.of(ImageFolder.open(place.open(cache), source.depth()));
        }
        HttpStore far = place.openManifest();
        Manifest manifest = Manifest.open(far, far.manifest().orElseThrow());
        Store store = place.mirrored(far);
        boolean labelled = manifest.lines().stream()
                .filter(line -> ImageFolder.isImage(line.key()))
                .anyMatch(line -> line.label() != null || line.number() >= 0);
        if (!labelled) {
            return LabelledImages.of(ImageFolder.open(store, source.depth()));
        }
        if (source.depth() > 0) {
            throw new IllegalArgumentException(
                    "--depth is for class folders: the manifest %s has labels".formatted(place));
        }
        return LabelledImages.of(ManifestDataset.of(store, manifest.only(ImageFolder::isImage)));
    }

    public static RecordFiles records(SourceSpec.Records source) {
        if (!source.place().isRemote()) {
            return RecordFiles.open(source.place().path(), source.recordBytes());
        }
        StorePlace.Located file = source.place().locate();
        return RecordFiles.open(file.store(), file.key(), source.recordBytes());
    }

    public static ZarrArray zarr(SourceSpec.Zarr source) {
        return Objects.requireNonNull(
                ZarrArray.open(source.store().open(), source.path()).block(), "an array");
    }

    /**
     * With the states of its chunks in their keys where the store can be listed, so that one written again is not taken
     * from a cache.
     */
    private static ZarrArray zarrToKeep(SourceSpec.Zarr source) {
        ZarrArray array = zarr(source);
        return source.store().canBeListed()
                ? Objects.requireNonNull(array.checkingChunks().block(), "an array")
                : array;
    }

    public static TarShards shards(SourceSpec.Tar source) {
        StorePlace shards = MaterializedShards.in(source.shards());
        if (!shards.isRemote()) {
            return TarShards.open(shards.path());
        }
        StorePlace.Located file = shards.locate();
        return TarShards.open(file.store(), file.key());
    }

    /**
     * Samples of tar shards.
     * @param cache the directory of a cache, in which the shards' index is kept for the next run; null for none
     */
    static TarSamples tar(SourceSpec.Tar source, @Nullable Path cache) {
        TarShards shards = shards(source);
        return cache == null ? shards.index() : shards.index(cache.resolve(TAR_INDEX));
    }

    public static TextLines lines(SourceSpec.Lines source) {
        if (source.files().isRemote()) {
            StorePlace.Located file = source.files().locate();
            return source.json()
                    ? TextLines.openJson(file.store(), file.key())
                    : TextLines.open(file.store(), file.key());
        }
        return source.json()
                ? TextLines.openJson(source.files().path())
                : TextLines.open(source.files().path());
    }

    /**
     * Rows of tables and records.
     * @param cache the directory of a cache, in which an index is kept for the next run; null for none
     */
    public static TableRows rows(SourceSpec.Rows source, @Nullable Path cache) {
        TableColumns columns = source.columns();
        StorePlace files = source.files();
        boolean isStore = source.kind() == SourceSpec.Rows.Kind.NPZ || source.kind() == SourceSpec.Rows.Kind.MDS;
        StorePlace.@Nullable Located far = files.isRemote() && !isStore ? located(source, cache) : null;
        Path index = cache == null ? null : cache.resolve(TAR_INDEX);
        return switch (source.kind()) {
            case PARQUET -> {
                Table table = far == null
                        ? Table.openParquet(files.path(), columns.options())
                        : Table.openParquet(far.store(), far.key(), columns.options());
                yield rows(table, columns);
            }
            case ARROW ->
                rows(
                        far == null
                                ? Table.openArrow(files.path(), columns.options())
                                : Table.openArrow(far.store(), far.key(), columns.options()),
                        columns);
            case CSV ->
                rows(
                        far == null
                                ? Table.openCsv(files.path(), columns.options(), index)
                                : Table.openCsv(far.store(), far.key(), columns.options(), index),
                        columns);
            case JSONL ->
                rows(
                        far == null
                                ? Table.openJson(files.path(), columns.options(), index)
                                : Table.openJson(far.store(), far.key(), columns.options(), index),
                        columns);
            case TFRECORD -> {
                TfRecords records = far == null
                        ? TfRecords.open(files.path(), index)
                        : TfRecords.open(far.store(), far.key(), index);
                Examples examples = Examples.of(records, columns.options());
                yield new TableRows(examples, examples.schema(), examples.fields(), columns);
            }
            case MDS -> {
                MdsShards shards = MdsShards.open(files.open(cache), columns.withoutTypes(source.words()), index);
                yield new TableRows(shards, shards.schema(), shards.fields(), columns);
            }
            case NPZ -> {
                NpzRows rows = NpzRows.open(files.open(), columns.withoutTypes(source.words()));
                yield new TableRows(rows, rows.schema(), rows.fields(), columns);
            }
        };
    }

    private static StorePlace.Located located(SourceSpec.Rows source, @Nullable Path cache) {
        return switch (source.kind()) {
            case TFRECORD -> source.files().locate();
            case JSONL -> source.files().locateTable(cache);
            default ->
                source.files().isManifest()
                        ? new StorePlace.Located(
                                source.files().mirrored(source.files().openManifest()), "")
                        : source.files().locateTable(cache);
        };
    }

    private static TableRows rows(Table table, TableColumns columns) {
        return new TableRows(table, table.schema(), table.fields(), columns);
    }

    public static ArrayRows array(SourceSpec.Array source) {
        if (source.file().isNpz() && !source.idx()) {
            return ArrayRows.openNpz(source.file().open(), source.name());
        }
        if (source.file().isRemote()) {
            StorePlace.Located file = source.file().locate();
            return source.idx()
                    ? ArrayRows.openIdx(file.store(), file.key())
                    : ArrayRows.openNpy(file.store(), file.key());
        }
        return source.idx()
                ? ArrayRows.openIdx(source.file().path())
                : ArrayRows.openNpy(source.file().path());
    }

    /** Sources whose samples are one tensor each, with keys that a cache may keep. */
    static Dataset<Tensor> tensors(SourceSpec source) {
        if (source instanceof SourceSpec.Records records) {
            return records(records);
        } else if (source instanceof SourceSpec.Zarr zarr) {
            return zarrToKeep(zarr).rows();
        } else if (source instanceof SourceSpec.Lines lines) {
            return lines(lines).bytes();
        } else if (source instanceof SourceSpec.Array array) {
            return array(array);
        }
        throw new IllegalArgumentException("samples of %s are not one tensor each".formatted(source));
    }

    /** What the one field of such a source is called. */
    static String field(SourceSpec source) {
        return source instanceof SourceSpec.Records || source instanceof SourceSpec.Lines
                ? TarParts.BYTES
                : TarParts.VALUES;
    }
}
