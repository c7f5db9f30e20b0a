package io.penstock.cli;

import io.penstock.array.ArrayRows;
import io.penstock.folder.ImageFolder;
import io.penstock.pipeline.Dataset;
import io.penstock.records.RecordFiles;
import io.penstock.shard.TarSamples;
import io.penstock.shard.TarShards;
import io.penstock.tensor.Tensor;
import io.penstock.text.TextLines;
import io.penstock.zarr.ZarrArray;
import java.util.Objects;

/** Opens what a {@link SourceSpec} names. All of it blocks. */
final class Sources {

    private Sources() {}

    static ImageFolder images(SourceSpec.Images source) {
        StorePlace place = source.place();
        return place.isHttp() ? ImageFolder.open(place.openManifest()) : ImageFolder.open(place.path());
    }

    static RecordFiles records(SourceSpec.Records source) {
        if (!source.place().isHttp()) {
            return RecordFiles.open(source.place().path(), source.recordBytes());
        }
        StorePlace.Located file = source.place().locateHttp();
        return RecordFiles.open(file.store(), file.key(), source.recordBytes());
    }

    static ZarrArray zarr(SourceSpec.Zarr source) {
        return Objects.requireNonNull(
                ZarrArray.open(source.store().open(), source.path()).block(), "an array");
    }

    static TarShards shards(SourceSpec.Tar source) {
        if (!source.shards().isHttp()) {
            return TarShards.open(source.shards().path());
        }
        StorePlace.Located file = source.shards().locateHttp();
        return TarShards.open(file.store(), file.key());
    }

    static TarSamples tar(SourceSpec.Tar source) {
        return shards(source).index();
    }

    static TextLines lines(SourceSpec.Lines source) {
        if (source.files().isHttp()) {
            StorePlace.Located file = source.files().locateHttp();
            return source.json()
                    ? TextLines.openJson(file.store(), file.key())
                    : TextLines.open(file.store(), file.key());
        }
        return source.json()
                ? TextLines.openJson(source.files().path())
                : TextLines.open(source.files().path());
    }

    static ArrayRows array(SourceSpec.Array source) {
        if (source.file().isHttp()) {
            StorePlace.Located file = source.file().locateHttp();
            return source.idx()
                    ? ArrayRows.openIdx(file.store(), file.key())
                    : ArrayRows.openNpy(file.store(), file.key());
        }
        return source.idx()
                ? ArrayRows.openIdx(source.file().path())
                : ArrayRows.openNpy(source.file().path());
    }

    /** Sources whose samples are one tensor each. */
    static Dataset<Tensor> tensors(SourceSpec source) {
        if (source instanceof SourceSpec.Records records) {
            return records(records);
        } else if (source instanceof SourceSpec.Zarr zarr) {
            return zarr(zarr).rows();
        } else if (source instanceof SourceSpec.Lines lines) {
            return lines(lines).bytes();
        } else if (source instanceof SourceSpec.Array array) {
            return array(array);
        }
        throw new IllegalArgumentException("samples of %s are not one tensor each".formatted(source));
    }

    /** What the one field of such a source is called. */
    static String field(SourceSpec source) {
        return source instanceof SourceSpec.Records || source instanceof SourceSpec.Lines ? "bytes" : "values";
    }
}
