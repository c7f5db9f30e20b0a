package io.penstock.train;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One parameter of a network, and what its optimizer knows of it. Arrays are not copied.
 *
 * @param name     in the network
 * @param values   in C order
 * @param velocity of the momentum, as many
 */
@SuppressWarnings("ArrayRecordComponent") // equals and hashCode compare the arrays
record Weights(String name, float[] values, float[] velocity) {

    /**
     * Where learning begins: zeros for a bias, else He's uniform distribution. From the seed by exact arithmetic, so
     * that all runs begin alike on any machine.
     * @param fanIn the number of inputs of a unit; 0 for a bias
     * @see <a href="https://arxiv.org/abs/1502.01852">He et al. 2015, Delving deep into rectifiers</a>
     */
    static Weights initial(String name, int length, long fanIn, long seed) {
        float[] values = new float[length];
        if (fanIn > 0) {
            double bound = Math.sqrt(6.0 / fanIn);
            SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + name.hashCode());
            for (int i = 0; i < length; i++) {
                values[i] = (float) ((2 * random.nextDouble() - 1) * bound);
            }
        }
        return new Weights(name, values, new float[length]);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Weights weights
                && weights.name.equals(name)
                && Arrays.equals(weights.values, values)
                && Arrays.equals(weights.velocity, velocity);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return "%s, %d values".formatted(name, values.length);
    }
}
