package io.penstock.fit;

import java.util.Comparator;
import java.util.Locale;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How far a field of one dataset is from that of another.
 *
 * @param field    its name
 * @param distance in [0, 1]: of numbers the largest difference of the shares up to any value (Kolmogorov–Smirnov, by
 *                 percentiles, so in steps of 1 %), of texts the largest difference of a class's share, 1 for a field that
 *                 one dataset lacks
 * @param missing  the difference of the shares of missing values
 * @param words    what differs most
 */
public record Drift(String field, double distance, double missing, String words) {

    static Drift of(String name, @Nullable FieldFit ours, @Nullable FieldFit theirs) {
        if (ours == null || theirs == null) {
            return new Drift(name, 1, 0, ours == null ? "only in the other" : "only in this one");
        }
        double missing = theirs.missingShare() - ours.missingShare();
        String means = String.format(Locale.ROOT, "mean %.6g, then %.6g", ours.mean(), theirs.mean());
        Stream<FieldFit> both = Stream.of(ours, theirs);
        if (ours.text() && !ours.classes().isEmpty() && !theirs.classes().isEmpty()) {
            Stream<String> classes = both.flatMap(fit -> fit.classes().keySet().stream());
            Drift most = largest(ours, theirs, classes.sorted(), FieldFit::shareOf, "\"%s\": %.1f %%, then %.1f %%");
            return new Drift(name, most.distance, missing, most.distance == 0 ? "" : most.words);
        }
        if (ours.percentiles().isEmpty() || theirs.percentiles().isEmpty()) {
            return new Drift(name, ours.percentiles().equals(theirs.percentiles()) ? 0 : 1, missing, means);
        }
        Stream<Double> values = both.flatMap(fit -> fit.percentiles().stream());
        Drift most = largest(ours, theirs, values, FieldFit::shareUpTo, "up to %.6g: %.0f %%, then %.0f %%");
        return new Drift(name, most.distance, missing, most.distance == 0 ? means : most.words);
    }

    /** At the class, or the value, where the shares differ most. */
    private static <K> Drift largest(
            FieldFit ours, FieldFit theirs, Stream<K> keys, ToDoubleBiFunction<FieldFit, K> share, String words) {
        ToDoubleFunction<K> apart = key -> Math.abs(share.applyAsDouble(ours, key) - share.applyAsDouble(theirs, key));
        K most = keys.max(Comparator.comparingDouble(apart)).orElseThrow();
        double before = 100 * share.applyAsDouble(ours, most);
        double then = 100 * share.applyAsDouble(theirs, most);
        return new Drift("", apart.applyAsDouble(most), 0, String.format(Locale.ROOT, words, most, before, then));
    }
}
