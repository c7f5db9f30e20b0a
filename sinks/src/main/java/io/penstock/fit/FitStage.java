package io.penstock.fit;

import io.penstock.cache.Fingerprint;
import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The stages that use a fit. Each says all numbers that it uses, or a hash of them, in its name. */
record FitStage(Map<String, FieldFit> fits) {

    private static final int MOST_BUCKETS = 100;

    /** What becomes of a field. */
    record Change(String words, UnaryOperator<Tensor> function) {}

    static <T> Dataset<T> over(
            String verb, Dataset<T> dataset, Schema<T> schema, String[] names, Function<String, Change> change) {
        Arguments.refuse(names.length == 0, "name the fields to %s", verb);
        Map<String, Change> changes = new LinkedHashMap<>();
        for (String name : names) {
            boolean isThere = schema.names().contains(name);
            Arguments.refuse(!isThere, "samples have no field \"%s\", only %s", name, schema.names());
            changes.put(name, change.apply(name));
        }
        String stage = changes.entrySet().stream()
                .map(each -> each.getKey() + " by " + each.getValue().words)
                .collect(Collectors.joining("; ", verb + " ", ""));
        return dataset.map(stage, sample -> {
            List<Tensor> values = new ArrayList<>(schema.flatten(sample));
            changes.forEach((name, each) -> {
                int at = schema.names().indexOf(name);
                values.set(at, each.function.apply(values.get(at)));
            });
            return schema.unflatten(values);
        });
    }

    /** The fits of a field: one, or one for each component. */
    private List<FieldFit> of(String name) {
        FieldFit whole = fits.get(name);
        List<FieldFit> found = whole != null
                ? List.of(whole)
                : IntStream.range(0, fits.size())
                        .mapToObj(i -> fits.get("%s[%d]".formatted(name, i)))
                        .filter(Objects::nonNull)
                        .toList();
        Arguments.refuse(
                found.isEmpty(),
                "field \"%s\" was not fitted, only %s; fit samples as they are here, windows if these are",
                name,
                fits.keySet());
        return found;
    }

    private List<FieldFit> numbers(String name) {
        List<FieldFit> found = of(name);
        for (FieldFit each : found) {
            String what = each.text() ? "is text; give its column a type, or use one-hot" : "is empty";
            boolean none = each.text() || Double.isNaN(each.mean());
            Arguments.refuse(none, "field \"%s\" has no numbers that were fitted: it %s", name, what);
        }
        return found;
    }

    private double[] means(String name) {
        return numbers(name).stream().mapToDouble(FieldFit::mean).toArray();
    }

    Change standardised(String name) {
        double[] means = means(name);
        double[] deviations = numbers(name).stream()
                .mapToDouble(FieldFit::deviation)
                .map(each -> each == 0 ? 1 : each)
                .toArray();
        return new Change(
                "means %s, deviations %s".formatted(Arrays.toString(means), Arrays.toString(deviations)),
                tensor -> each(
                        name, tensor, DType.F32, means.length, (value, at) -> (value - means[at]) / deviations[at]));
    }

    Change filled(String name) {
        double[] means = means(name);
        return new Change("means " + Arrays.toString(means), tensor -> {
            if (tensor.dtype() != DType.F32 && tensor.dtype() != DType.F64) {
                throw new IllegalArgumentException(
                        "field \"%s\" is %s, and only f32 and f64 have missing values".formatted(name, tensor.type()));
            }
            return each(
                    name, tensor, tensor.dtype(), means.length, (value, at) -> Double.isNaN(value) ? means[at] : value);
        });
    }

    Function<String, Change> bucketised(int count) {
        boolean wrong = count < 2 || count > MOST_BUCKETS;
        Arguments.refuse(wrong, "the number of buckets must be in [2, %d], was %d", MOST_BUCKETS, count);
        return name -> {
            List<double[]> edges = numbers(name).stream()
                    .map(field -> IntStream.range(1, count)
                            .mapToDouble(i -> field.quantile((double) i / count))
                            .toArray())
                    .toList();
            return new Change(
                    edges.stream().map(Arrays::toString).collect(Collectors.joining(", ")),
                    tensor -> each(
                            name, tensor, DType.I32, edges.size(), (value, at) -> bucket(value, count, edges.get(at))));
        };
    }

    private static double bucket(double value, int missing, double... edges) {
        return Double.isNaN(value)
                ? missing
                : Arrays.stream(edges).filter(edge -> value >= edge).count();
    }

    /** What becomes of a number of a component. */
    @FunctionalInterface
    private interface Elements {
        double of(double value, int component);
    }

    /** All elements of a tensor, in the shape that they have. */
    private static Tensor each(String name, Tensor tensor, DType to, int fitted, Elements function) {
        int components = tensor.isText() ? 0 : FitSummary.components(tensor);
        if (components != fitted) {
            throw new IllegalArgumentException(
                    "field \"%s\" is %s, and was fitted with %d components".formatted(name, tensor.type(), fitted));
        }
        int elements = (int) tensor.shape().elements();
        ByteBuffer data = ByteBuffer.allocate(elements * to.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < elements; i++) {
            double made = function.of(tensor.doubleAt(i), i % components);
            switch (to) {
                case I32 -> data.putInt((int) made);
                case F32 -> data.putFloat((float) made);
                default -> data.putDouble(made);
            }
        }
        return Tensor.of(to, tensor.shape(), data.flip());
    }

    Change oneHot(String name) {
        FieldFit field = of(name).get(0);
        boolean none = field.classes().isEmpty();
        Arguments.refuse(none, "field \"%s\" has too many classes for one-hot: about %,d", name, field.distinct());
        Map<String, Integer> places = new HashMap<>();
        field.classes().keySet().forEach(each -> places.put(each, places.size()));
        String hash =
                Fingerprint.of(field.classes().keySet().toArray(String[]::new)).hex();
        return new Change(
                "%d classes %s".formatted(places.size(), hash), value -> oneHot(name, value, field.text(), places));
    }

    private static Tensor oneHot(String name, Tensor value, boolean text, Map<String, Integer> places) {
        if (text != value.isText() || !text && value.shape().rank() > 0) {
            throw new IllegalArgumentException("field \"%s\" is %s, and one-hot was fitted to %s"
                    .formatted(name, value.type(), text ? "text" : "single numbers"));
        }
        Integer place = places.get(text ? value.toText() : FieldFit.word(value.doubleAt(0)));
        float[] hot = new float[places.size()];
        if (place != null) {
            hot[place] = 1;
        }
        return Tensor.ofFloats(hot);
    }
}
