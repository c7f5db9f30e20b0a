package io.penstock.simulation;

import java.util.SplittableRandom;

/** The random choices of one simulated run, all from its seed. */
final class Dice {

    private final SplittableRandom random;

    Dice(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** An integer in {@code [0, bound)}; 0 for bounds below 1. */
    int below(int bound) {
        return bound < 1 ? 0 : random.nextInt(bound);
    }

    /** An integer in {@code [from, to]}. */
    int between(int from, int to) {
        return random.nextInt(from, to + 1);
    }

    boolean chance(double share) {
        return share > 0 && random.nextDouble() < share;
    }

    @SafeVarargs
    final <T> T oneOf(T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
