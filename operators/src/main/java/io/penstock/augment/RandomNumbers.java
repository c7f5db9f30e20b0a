package io.penstock.augment;

import java.util.random.RandomGenerator;

/**
 * Random values, each from exactly one {@code nextLong}.
 *
 * <p>The generator's own {@code nextInt(bound)} and {@code nextDouble(low, high)} are not used: they take a varying
 * number of steps, and their algorithm may change between Java versions. {@link StrictMath} is used for the same
 * reason.
 */
final class RandomNumbers {

    private RandomNumbers() {}

    /** Uniform in [0, 1), a multiple of 2^-53. */
    static double unit(RandomGenerator random) {
        return (random.nextLong() >>> 11) * 0x1p-53;
    }

    /** Maps a number of [0, 1) linearly to [low, high). */
    static double between(double low, double high, double unit) {
        return low + (high - low) * unit;
    }

    /** Maps a number of [0, 1) to [low, high) on a logarithmic scale; both must be positive. */
    static double logBetween(double low, double high, double unit) {
        return StrictMath.exp(between(StrictMath.log(low), StrictMath.log(high), unit));
    }

    static boolean chance(RandomGenerator random, double probability) {
        return unit(random) < probability;
    }

    /**
     * Uniform in [0, bound): the high word of the 128-bit product, so the chances of two numbers differ by at most
     * 2^-64. Lemire makes them equal by drawing again, which takes a varying number of steps.
     * @see <a href="https://arxiv.org/abs/1805.10941">Lemire, Fast random integer generation in an interval</a>
     */
    static int below(RandomGenerator random, int bound) {
        long bits = random.nextLong();
        long low = (bits & 0xFFFF_FFFFL) * bound;
        return (int) (((bits >>> 32) * bound + (low >>> 32)) >>> 32);
    }

    static void requireProbability(String what, double p) {
        if (!(p >= 0 && p <= 1)) {
            throw new IllegalArgumentException("%s must be in [0, 1], was %s".formatted(what, AugmentWord.text(p)));
        }
    }
}
