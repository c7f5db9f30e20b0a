package io.penstock.fit;

import io.penstock.internal.OptionalLibrary;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.Schema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
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
 */
public final class Fit {

    private final long samples;
    private final Map<String, FieldFit> fields;

    Fit(long samples, Map<String, FieldFit> fields) {
        this.samples = samples;
        this.fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
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
     * @throws io.penstock.fault.FormatException if it is none
     */
    public static Fit read(Path file) {
        return FitFile.read(file);
    }

    /**
     * Writes it as JSON, in place of what has the name. Blocks.
     * @throws io.penstock.fault.StoreException if it cannot be written
     */
    public void write(Path file) {
        FitFile.write(file, this);
    }

    /** The number of samples. */
    public long samples() {
        return samples;
    }

    /** The statistics by field; components have names as {@code pixels[0]}. */
    public Map<String, FieldFit> fields() {
        return fields;
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
        List<Drift> drifts = new ArrayList<>();
        for (String name : names) {
            FieldFit ours = fields.get(name);
            FieldFit theirs = other.fields.get(name);
            drifts.add(
                    ours == null || theirs == null
                            ? new Drift(name, 1, 0, ours == null ? "only in the other" : "only in this one")
                            : drift(name, ours, theirs));
        }
        drifts.sort(Comparator.comparingDouble(Drift::distance).reversed());
        return drifts;
    }

    private static Drift drift(String name, FieldFit ours, FieldFit theirs) {
        double missing = theirs.missingShare() - ours.missingShare();
        if (ours.text() && !ours.classes().isEmpty() && !theirs.classes().isEmpty()) {
            return ofClasses(name, ours, theirs, missing);
        }
        if (ours.percentiles().isEmpty() || theirs.percentiles().isEmpty()) {
            return new Drift(
                    name, ours.percentiles().equals(theirs.percentiles()) ? 0 : 1, missing, means(ours, theirs));
        }
        ToDoubleFunction<Double> apart = value -> Math.abs(ours.shareUpTo(value) - theirs.shareUpTo(value));
        double at = Stream.of(ours, theirs)
                .flatMap(each -> each.percentiles().stream())
                .max(Comparator.comparingDouble(apart))
                .orElseThrow();
        double distance = apart.applyAsDouble(at);
        String words = distance == 0
                ? means(ours, theirs)
                : String.format(
                        Locale.ROOT,
                        "up to %.6g: %.0f %%, then %.0f %%",
                        at,
                        100 * ours.shareUpTo(at),
                        100 * theirs.shareUpTo(at));
        return new Drift(name, distance, missing, words);
    }

    private static String means(FieldFit ours, FieldFit theirs) {
        return String.format(Locale.ROOT, "mean %.6g, then %.6g", ours.mean(), theirs.mean());
    }

    private static Drift ofClasses(String name, FieldFit ours, FieldFit theirs, double missing) {
        ToDoubleFunction<String> apart = each -> Math.abs(share(theirs, each) - share(ours, each));
        String most = Stream.of(ours, theirs)
                .flatMap(fit -> fit.classes().keySet().stream())
                .sorted()
                .max(Comparator.comparingDouble(apart))
                .orElseThrow();
        double distance = apart.applyAsDouble(most);
        String words = distance == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "\"%s\": %.1f %%, then %.1f %%",
                        most,
                        100 * share(ours, most),
                        100 * share(theirs, most));
        return new Drift(name, distance, missing, words);
    }

    private static double share(FieldFit of, String name) {
        return (double) of.classes().getOrDefault(name, 0L) / Math.max(1, of.values() - of.missing());
    }

    @Override
    public String toString() {
        return "fit of %,d samples: %s".formatted(samples, fields.keySet());
    }
}
