package io.penstock.order;

import java.util.HashMap;
import java.util.Map;

/** Weights of samples by their classes, for {@link Sampler#weighted}. */
public final class ClassWeights {

    private ClassWeights() {}

    /**
     * Weights by which every class is drawn equally often: 1 divided by the number of samples of the class.
     * @param labels the class of each sample: any number
     */
    public static double[] balanced(int... labels) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int label : labels) {
            counts.merge(label, 1, Integer::sum);
        }
        double[] weights = new double[labels.length];
        for (int i = 0; i < labels.length; i++) {
            weights[i] = 1.0 / counts.getOrDefault(labels[i], 1);
        }
        return weights;
    }
}
