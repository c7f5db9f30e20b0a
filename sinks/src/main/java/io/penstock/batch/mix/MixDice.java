package io.penstock.batch.mix;

import io.penstock.internal.Arguments;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The random numbers of mixing: how much of itself a row keeps, and which row it is mixed with. */
final class MixDice {

    private static final double MAX_ALPHA = 1_000;

    private MixDice() {}

    static double checked(double alpha) {
        Arguments.refuse(!(alpha > 0 && alpha <= MAX_ALPHA), "alpha must be in (0, 1000], was %s", alpha);
        return alpha;
    }

    static double probability(double share) {
        Arguments.refuse(!(share >= 0 && share <= 1), "a share must be in [0, 1], was %s", share);
        return share;
    }

    static List<String> fields(List<String> first, String... others) {
        return Stream.concat(first.stream(), Stream.of(others)).toList();
    }

    static double beta(double alpha, RandomGenerator random) {
        double a = gamma(alpha, random);
        double b = gamma(alpha, random);
        return a + b > 0 ? a / (a + b) : Math.round(random.nextDouble()); // both underflow where alpha is tiny: 0 or 1
    }

    /**
     * A number of the distribution Gamma(shape, 1), by StrictMath, so that all machines draw the same.
     * @see <a href="https://doi.org/10.1145/358407.358414">Marsaglia, Tsang: A simple method for generating gamma
     *     variables</a>
     */
    private static double gamma(double shape, RandomGenerator random) {
        if (shape < 1) {
            return gamma(shape + 1, random) * StrictMath.pow(1 - random.nextDouble(), 1 / shape);
        }
        double d = shape - 1.0 / 3;
        double c = 1 / StrictMath.sqrt(9 * d);
        while (true) {
            double x = gaussian(random);
            double v = 1 + c * x;
            double u = 1 - random.nextDouble(); // never 0
            v = v * v * v;
            if (v > 0 && StrictMath.log(u) < 0.5 * x * x + d - d * v + d * StrictMath.log(v)) {
                return d * v;
            }
        }
    }

    private static double gaussian(RandomGenerator random) {
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
        return radius * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
    }

    /** For each of n rows another one, or itself: a uniformly random permutation. */
    static int[] partners(int n, RandomGenerator random) {
        int[] partners = new int[n];
        for (int i = 0; i < n; i++) {
            int j = (int) (random.nextDouble() * (i + 1));
            partners[i] = partners[j];
            partners[j] = i;
        }
        return partners;
    }
}
