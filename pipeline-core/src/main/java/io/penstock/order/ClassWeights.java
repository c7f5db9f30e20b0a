package io.penstock.order;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Weights of samples by their classes, for {@link Sampler#weighted}. */
public final class ClassWeights {

    private ClassWeights() {}

    /**
     * Weights by which every class is drawn equally often: 1 divided by the number of samples of the class.
     * @param labels the class of each sample: any number
     */
    public static double[] balanced(int... labels) {
        Map<Integer, Long> counts =
                IntStream.of(labels).boxed().collect(Collectors.groupingBy(label -> label, Collectors.counting()));
        return IntStream.of(labels)
                .mapToDouble(label -> 1.0 / counts.getOrDefault(label, 1L))
                .toArray();
    }
}
