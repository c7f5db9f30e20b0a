package io.penstock.augment;

import io.penstock.internal.Arguments;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which changes a picture gets: some in order, in any order, some of several, or as a published policy draws them.
 *
 * <p>All that move pixels become one warp, before the colours change. So a picture is interpolated once, and what is
 * outside it is black for all changes of colours.
 *
 * <p>Always draws the same number of random numbers. Immutable and thread-safe.
 */
public final class Policy {

    private static final int BINS = 31;
    private static final int TABLE_BINS = 10;

    /** Of RandAugment and TrivialAugment. */
    private static final List<Operation> FOURTEEN = Pattern.compile(" ")
            .splitAsStream("identity shear-x shear-y translate-x translate-y rotate brightness saturation contrast"
                    + " sharpness posterise solarise autocontrast equalise")
            .map(Operation::of)
            .toList();

    private final String name;
    private final int picks;
    private final List<List<Change>> options;
    private final boolean anyOrder;
    private final int longest;

    private Policy(String name, int picks, List<List<Change>> options, boolean anyOrder) {
        this.name = name;
        this.picks = picks;
        this.options = options;
        this.anyOrder = anyOrder;
        this.longest = options.stream().mapToInt(List::size).max().orElse(0);
    }

    /** This change alone. */
    public static Policy of(Change change) {
        return new Policy(change.toString(), 1, List.of(List.of(change)), false);
    }

    /**
     * All of these, each with its probability, in an order that is drawn.
     * @throws IllegalArgumentException if there are none
     */
    public static Policy anyOrder(Change... changes) {
        return new Policy("any-order(" + joined(changes) + ")", 1, List.of(List.of(changes)), true);
    }

    /**
     * One of these, as often as {@code n} says; the same may come again.
     * @throws IllegalArgumentException if there are none, or {@code n} is not in [1, 100]
     */
    public static Policy choose(int n, Change... changes) {
        return oneOf("choose=%d(%s)".formatted(n, joined(changes)), n, Stream.of(changes));
    }

    private static String joined(Change... changes) {
        Arguments.refuse(changes.length == 0, "a policy needs one change or more");
        return Stream.of(changes).map(Change::toString).collect(Collectors.joining("|"));
    }

    private static Policy oneOf(String name, int n, Stream<Change> changes) {
        Arguments.refuse(n < 1 || n > 100, "changes of a picture must be in [1, 100], was %s", n);
        return new Policy(name, n, changes.map(List::of).toList(), false);
    }

    /**
     * One of fourteen operations n times, all of one magnitude.
     * @param n         2 in the paper
     * @param magnitude in [0, 30]; 9 in the paper
     * @see <a href="https://arxiv.org/abs/1909.13719">Cubuk et al., RandAugment</a>
     */
    public static Policy randAugment(int n, int magnitude) {
        if (magnitude < 0 || magnitude >= BINS) {
            throw new IllegalArgumentException("randaugment's magnitude must be in [0, 30], was " + magnitude);
        }
        double share = (double) magnitude / (BINS - 1);
        return oneOf(
                "randaugment=%d:%d".formatted(n, magnitude),
                n,
                FOURTEEN.stream().map(operation -> operation.usual(share)));
    }

    /**
     * One of fourteen operations, of one of 31 magnitudes in a wide range.
     * @see <a href="https://arxiv.org/abs/2103.10158">Müller and Hutter, TrivialAugment</a>
     */
    public static Policy trivialAugment() {
        return oneOf("trivialaugment", 1, FOURTEEN.stream().map(operation -> operation.wide(BINS)));
    }

    /**
     * One of 25 pairs of operations that were found for a data set.
     * @see <a href="https://arxiv.org/abs/1805.09501">Cubuk et al., AutoAugment</a>
     */
    public static Policy autoAugment(AutoAugmentTable table) {
        List<List<Change>> pairs = table.pairs.lines().map(Policy::pair).toList();
        return new Policy("autoaugment=" + table.word(), 1, pairs, false);
    }

    /** {@code posterise 0.4 8 rotate 0.6 9}: operation, probability and magnitude, twice. */
    private static List<Change> pair(String line) {
        String[] words = line.split(" ", -1);
        List<Change> pair = new ArrayList<>();
        for (int i = 0; i < words.length; i += 3) {
            pair.add(Operation.of(words[i])
                    .usual(Double.parseDouble(words[i + 2]) / (TABLE_BINS - 1))
                    .probability(Double.parseDouble(words[i + 1])));
        }
        return pair;
    }

    /** The steps for a picture of this size. */
    List<Step> draw(Image size, RandomGenerator random) {
        List<Step> steps = new ArrayList<>();
        for (int pick = 0; pick < picks; pick++) {
            List<Change> drawn = new ArrayList<>(options.get(RandomNumbers.below(random, options.size())));
            for (int last = longest - 1; anyOrder && last > 0; last--) {
                Collections.swap(drawn, last, RandomNumbers.below(random, last + 1));
            }
            for (int i = 0; i < longest; i++) {
                double chance = RandomNumbers.unit(random);
                double unit = RandomNumbers.unit(random);
                boolean minus = random.nextLong() < 0;
                long noise = random.nextLong();
                if (i < drawn.size() && chance < drawn.get(i).probability()) {
                    steps.add(drawn.get(i).step(size, unit, minus, noise));
                }
            }
        }
        return steps;
    }

    /** In the form that {@link AugmentSpec} parses. */
    @Override
    public String toString() {
        return name;
    }
}
