package io.penstock.cli.show;

import io.penstock.annotation.AnnotatedImages;
import io.penstock.array.ArrayRows;
import io.penstock.cli.source.HubFolder;
import io.penstock.cli.source.SourceSpec;
import io.penstock.cli.source.Sources;
import io.penstock.cli.source.TableRows;
import io.penstock.fault.DataException;
import io.penstock.fault.StoreException;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.shard.TarFile;
import io.penstock.shard.TarFiles;
import io.penstock.shard.TarSamples;
import io.penstock.shard.TarShards;
import io.penstock.table.Row;
import io.penstock.table.TableField;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.ZarrArray;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A source as {@code show} sees it: what it is, and its samples as named tensors.
 *
 * @param fields  of a sample
 * @param samples by index
 * @param classes how many samples each has, in the order of the labels; empty where that is not known
 */
record ShownSource(List<ShownField> fields, Dataset<Row> samples, Map<String, Integer> classes) {

    private ShownSource(List<ShownField> fields, Dataset<Row> samples) {
        this(fields, samples, Map.of());
    }

    static ShownSource open(SourceSpec source) {
        if (source.kind().isTable()) {
            TableRows found = Sources.rows(source, null);
            return of(found.table(), found.fields());
        }
        if (source.isAnnotated()) {
            AnnotatedImages found = Sources.annotated(source, null);
            return of(found, found.fields());
        }
        return switch (source.kind()) {
            case IMAGES, HTTP -> of(Sources.images(source, null));
            case TAR -> of(Sources.shards(source));
            case HF -> of(HubFolder.open(source, null));
            case ZARR -> of(Sources.zarr(source));
            case NPY, IDX -> of(Sources.array(source));
            case TEXT, JSON -> of(Sources.lines(source).bytes(), ShownField.varying("bytes", "u8"));
            case KAFKA -> of(Sources.kafka(source), ShownField.varying("bytes", "u8"));
            default -> of(Sources.records(source), ShownField.of("bytes", "u8", Shape.of(source.number())));
        };
    }

    private static ShownSource of(HubFolder folder) {
        if (folder.isClassFolders()) {
            return of(Sources.images(folder.classFolders(), null));
        }
        TableRows found = folder.table();
        return of(found.table(), found.fields());
    }

    private static ShownSource of(Dataset<Row> rows, List<TableField> of) {
        List<ShownField> fields = of.stream()
                .map(field -> field.axes() == 0
                        ? ShownField.of(field.name(), field.dtype().toString(), Shape.SCALAR)
                        : ShownField.varying(field.name(), field.dtype().toString()))
                .toList();
        return new ShownSource(fields, rows);
    }

    private static ShownSource of(Dataset<Tensor> samples, ShownField field) {
        List<String> names = List.of(field.name());
        return new ShownSource(List.of(field), samples.map("show", tensor -> new Row(names, List.of(tensor))));
    }

    /** Samples; where nothing in the archives is one, their files. */
    private static ShownSource of(TarShards shards) {
        try {
            return of(shards.index());
        } catch (StoreException noSamples) {
            TarFiles files;
            try {
                files = shards.files();
            } catch (DataException e) {
                throw noSamples;
            }
            return of(files.map("show", TarFile::bytes), ShownField.varying("file", "u8"));
        }
    }

    private static ShownSource of(Sources.LabelledImages found) {
        List<String> names = List.of("file", "label");
        return new ShownSource(
                List.of(ShownField.varying("file", "u8"), ShownField.of("label", "i32", Shape.SCALAR)),
                found.files().map("show", file -> new Row(names, List.of(file.bytes(), Tensor.scalar(file.label())))),
                found.classes());
    }

    private static ShownSource of(TarSamples samples) {
        List<ShownField> fields = samples.size() == 0
                ? List.of()
                : parts(samples).stream()
                        .map(part -> ShownField.varying(part, "u8"))
                        .toList();
        return new ShownSource(
                fields,
                samples.map(
                        "show",
                        sample -> new Row(
                                List.copyOf(sample.parts().keySet()),
                                List.copyOf(sample.parts().values()))));
    }

    private static List<String> parts(TarSamples samples) {
        return List.copyOf(Sources.firstReadable(samples).parts().keySet());
    }

    private static ShownSource of(ArrayRows rows) {
        return of(rows, ShownField.of("values", rows.dtype().toString(), rows.shape()));
    }

    private static ShownSource of(ZarrArray array) {
        ShownField field = new ShownField(
                "values",
                array.isText() ? "text" : array.dtype().toString(),
                array.shape(),
                array.dataType(),
                array.chunkShape(),
                array.codecs());
        Dataset<Tensor> rows = array.shape().rank() == 0 // has no rows
                ? Dataset.wrapping(MemoryDataset.generate("one value", 1, Tensor::scalar), index -> array.read())
                : array.rows();
        return of(rows, field);
    }

    /** The first field's bytes of all samples, in index order. */
    Flux<Tensor> first() {
        return samples.stream(Sampler.sequential())
                .map(sample -> sample.value().values().get(0));
    }

    /** A column of text, one that begins with a number if there is one; null without any. Blocks. */
    @Nullable String textColumn() {
        List<String> texts = fields.stream()
                .filter(field -> field.shape() == null && field.dtype().equals("u8"))
                .map(ShownField::name)
                .toList();
        if (texts.isEmpty() || samples.size() == 0) {
            return null;
        }
        Row first = sample(0);
        return texts.stream()
                .filter(name ->
                        TableRows.isNumber(new String(first.tensor(name).toByteArray(), StandardCharsets.UTF_8)))
                .findFirst()
                .orElse(texts.get(0));
    }

    Row sample(long index) {
        return Objects.requireNonNull(samples.get(index).block(), "a sample");
    }
}
