package io.penstock.cache.ram;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a full cache does with one more value. */
public enum CachePolicy {

    /**
     * Holds what it has. In epochs that draw each sample once this hits as often as any policy can, even one that knows
     * the future: as much as the share of the data that fits.
     */
    HOLD,

    /**
     * Evicts what was not read for longest, down to the next slower tier. A share c of the data hits
     * c + (1 - c) ln(1 - c) under a shuffle, 15 % at one half, and nothing without one; for uses other than epochs.
     */
    LRU,

    /**
     * Holds what takes longest to load again for its bytes: swaps during the first two epochs that fill it, then holds.
     * Worth it where samples differ widely in size or cost.
     */
    COST;

    /** What the command line calls it: {@code hold}, {@code lru}, {@code cost}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The policy of a name.
     * @throws IllegalArgumentException if there is none, naming those that are
     */
    public static CachePolicy named(String label) {
        return Arrays.stream(values())
                .filter(policy -> policy.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no cache policy \"%s\"; use %s"
                        .formatted(
                                label,
                                Arrays.stream(values()).map(CachePolicy::label).collect(Collectors.joining(", ")))));
    }
}
