package io.penstock.fit;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.fault.FormatException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.FileWork;
import io.penstock.internal.JsonReason;
import io.penstock.internal.OptionalLibrary;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.Schema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Statistics of each field of a dataset, found in one pass: fit those of the part to train with, and use them for all.
 * <pre>{@code
 *  Dataset<Row> training = table.split(0, 0.8, 0.2).get(0);
 *  Fit fit = Fit.of(training, table.schema(), Indexing.keptIn(folder)).block();
 *  Dataset<Row> rows = fit.standardise(table, table.schema(), "age", "fare");
 * }</pre>
 *
 * <p>Numbers are taken as {@code f64}. The channels of a picture {@code [h, w, c]} of up to 4, and the features of a window
 * {@code [length, features]} of up to 64, have a fit each: {@code pixels[0]}. The stages say the numbers that they use in
 * their names, so a cache never mixes two fits. The same data have the same fit at any parallelism, and when a pass was
 * continued. Needs {@code com.datadoghq:sketches-java} for quantiles.
 *
 * <p><b>Memory</b>: 4 KiB a field and a sketch of about 10 KiB, up to 10,000 texts. <b>Threads</b>: immutable.
 *
 * @param samples the number of samples
 * @param fields  the statistics by field; components have names as {@code pixels[0]}
 */
public record Fit(long samples, Map<String, FieldFit> fields) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A fit as JSON. Numbers are written so that they are read as they were. */
    private record Content(
            @JsonProperty("penstock_fit") int version,
            long samples,
            @Nullable Map<String, FieldFit> fields) {}

    public Fit {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /**
     * The fit of all samples; see {@link Dataset#summarise} for what is kept and read again.
     * @throws IllegalStateException if the library for quantiles is not there
     */
    public static <T> Mono<Fit> of(Dataset<T> dataset, Schema<T> schema, Indexing indexing) {
        OptionalLibrary.SKETCHES.require(Fit.class);
        return dataset.summarise(
                        "fit %d of %s".formatted(FitSummary.VERSION, schema.id()), new FitSummary<>(schema), indexing)
                .map(Fit::of);
    }

    private static Fit of(FitSummary.Columns columns) {
        Map<String, FieldFit> fields = new LinkedHashMap<>();
        columns.fields.forEach((name, components) -> {
            for (int i = 0; i < components.size(); i++) {
                String word = components.size() == 1 ? name : "%s[%d]".formatted(name, i);
                fields.put(word, components.get(i).fit());
            }
        });
        return new Fit(columns.samples, fields);
    }

    /**
     * Reads a file that {@link #write} wrote. Blocks.
     * @throws io.penstock.fault.StoreException if it cannot be read
     * @throws FormatException if it is none
     */
    public static Fit read(Path file) {
        String text = FileWork.get("cannot read the fit " + file, () -> Files.readString(file));
        try {
            Content content = JSON.readValue(text, Content.class);
            if (content.version != FitSummary.VERSION || content.fields == null) {
                throw new FormatException(
                        "%s is no fit of version %d; make one with penstock fit".formatted(file, FitSummary.VERSION));
            }
            return new Fit(content.samples, content.fields);
        } catch (JsonProcessingException e) {
            String why = JsonReason.of(e.getOriginalMessage());
            throw new FormatException("%s is no fit: %s; make one with penstock fit".formatted(file, why), e);
        }
    }

    /**
     * Writes it as JSON, in place of what has the name. Blocks.
     * @throws io.penstock.fault.StoreException if it cannot be written
     */
    public void write(Path file) {
        Content content = new Content(FitSummary.VERSION, samples, fields);
        FileWork.run(
                "cannot write the fit " + file,
                () -> AtomicFile.write(
                        file.toAbsolutePath(),
                        JSON.writerWithDefaultPrettyPrinter().writeValueAsString(content)));
    }

    /**
     * Fields less their means, divided by their deviations, as {@code f32} of the same shape. A deviation of 0 divides by 1.
     * @throws IllegalArgumentException if a field was not fitted, is text, or has no values
     */
    public <T> Dataset<T> standardise(Dataset<T> dataset, Schema<T> schema, String... names) {
        return FitStage.over("standardise", dataset, schema, names, new FitStage(fields)::standardised);
    }

    /**
     * Floats with their means in place of {@code NaN}, in their type.
     * @throws IllegalArgumentException as {@link #standardise}
     */
    public <T> Dataset<T> fill(Dataset<T> dataset, Schema<T> schema, String... names) {
        return FitStage.over("fill", dataset, schema, names, new FitStage(fields)::filled);
    }

    /**
     * Numbers as the buckets that they are in, {@code i32} of the same shape: buckets of about equally many values, by
     * quantiles. A missing value has the bucket behind the last, {@code count}.
     * @param count of buckets, in [2, 100]
     * @throws IllegalArgumentException as {@link #standardise}
     */
    public <T> Dataset<T> bucketise(Dataset<T> dataset, Schema<T> schema, int count, String... names) {
        return FitStage.over("bucketise", dataset, schema, names, new FitStage(fields).bucketised(count));
    }

    /**
     * Texts, and single numbers, as {@code f32[k]} with a 1 at the place of their class, in the order of
     * {@link FieldFit#classes}. What the fit has not seen is all zeros.
     * @throws IllegalArgumentException if a field was not fitted, or its classes are too many
     */
    public <T> Dataset<T> oneHot(Dataset<T> dataset, Schema<T> schema, String... names) {
        return FitStage.over("one-hot", dataset, schema, names, new FitStage(fields)::oneHot);
    }

    /** Where the data of another fit differ, the largest distance first: one line a field. */
    public List<Drift> drift(Fit other) {
        Set<String> names = new TreeSet<>(fields.keySet());
        names.addAll(other.fields.keySet());
        return names.stream()
                .map(name -> Drift.of(name, fields.get(name), other.fields.get(name)))
                .sorted(Comparator.comparingDouble(Drift::distance).reversed())
                .toList();
    }

    @Override
    public String toString() {
        return "fit of %,d samples: %s".formatted(samples, fields.keySet());
    }
}
