package io.penstock.order.internal;

/**
 * Stateless 64-bit mixing: the one place where seeds, epochs, indices and stage names become random bits.
 *
 * <p>Numbers are mixed one after another, never added, so that (seed 42, epoch 1) has nothing to do with (43, 0). The
 * finaliser is variant 13 of Stafford's (as in SplitMix64), which passes PractRand as a counter's output function.
 * Changing anything here changes every shuffle and every augmentation: the golden tests hold it.
 * @see <a href="https://zimbry.blogspot.com/2011/09/better-bit-mixing-improving-on.html">Stafford, Better bit mixing</a>
 * @see <a href="https://doi.org/10.1145/2660193.2660195">Steele, Lea, Flood: Fast splittable generators</a>
 */
public final class Mixing {

    public static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Mixing() {}

    public static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Folds one more number into a state; the order of folding matters. */
    public static long fold(long state, long next) {
        return mix(state * 0xD1342543DE82EF95L + GOLDEN ^ mix(next + GOLDEN));
    }

    public static long hash(String text) {
        long state = fold(0, text.length());
        for (int i = 0; i < text.length(); i++) {
            state = fold(state, text.charAt(i));
        }
        return state;
    }
}
