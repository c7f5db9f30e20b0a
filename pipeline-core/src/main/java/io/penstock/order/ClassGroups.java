package io.penstock.order;

import io.penstock.order.internal.Mixing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Groups by the classes of samples, for metric learning: batches of P classes by K samples, pairs, and triplets. All are
 * drawn by keyed permutations and counters, from (seed, epoch, group) alone.
 * <pre>{@code
 *  DrawnGroups plan = ClassGroups.of(labels).batches(16, 4);
 *  photos.augment("flip", Photo::flip).group(plan)
 *          .stream(Sampler.shuffled(42).epochs(90)).transform(Batches.ofGroups(schema))
 * }</pre>
 *
 * <p><b>Memory</b>: 4 bytes a sample and 8 bytes a class for each plan, and none a group. Immutable.
 */
public final class ClassGroups {

    /** Set the keys of rounds, passes and partners apart; changing one changes every saved position's meaning. */
    private static final long ROUNDS = 0x524F_554E;

    private static final long PASSES = 0x5041_5353;
    private static final long PARTNERS = 0x5041_4952;

    private final int[] labels;

    private ClassGroups(int[] labels) {
        this.labels = labels;
    }

    /**
     * Groups of the samples of a dataset.
     * @param labels the class of each sample: any number
     */
    public static ClassGroups of(int... labels) {
        return new ClassGroups(labels.clone());
    }

    /**
     * Batches of different classes, with the same number of different samples of each.
     *
     * <p>Classes with fewer samples than that are left out. The others are dealt in rounds: a round is a permutation of
     * the classes, cut into batches; those that make no whole batch are left out of it. So all classes come equally
     * often. In each round a class gives the next samples of its pass, which is a permutation of them and continues from
     * one epoch to the next. Those that are fewer than needed at the end of a pass are left out of that pass; each pass
     * is another permutation. An epoch has as many rounds as draw about as many samples as these classes have.
     * @param classes of a batch
     * @param each    samples of a class
     * @throws IllegalArgumentException if one is less than 1, or too few classes have that number of samples
     */
    public DrawnGroups batches(int classes, int each) {
        if (classes < 1 || each < 1) {
            throw new IllegalArgumentException(
                    "a batch must have 1 class and 1 sample of it or more, was %d of %d".formatted(classes, each));
        }
        ClassIndex index = ClassIndex.of(labels, each, classes);
        int inRound = index.ends.length / classes;
        long rounds = Math.max(1, Math.round(index.samples.length / ((double) inRound * classes * each)));
        return new Drawn(
                rounds * inRound,
                List.of(index.words("batches of %d classes by %d".formatted(classes, each))),
                group -> {
                    long round = group.epoch() * rounds + group.index() / inRound;
                    int first = (int) (group.index() % inRound) * classes;
                    Permutation dealt = new Permutation(index.ends.length, key(group, ROUNDS, round));
                    return IntStream.range(first, first + classes)
                            .mapToObj(place -> index.next(group, (int) dealt.index(place), round, each))
                            .flatMap(draws -> draws)
                            .toArray(Draw[]::new);
                });
    }

    /**
     * Each sample, with another one of its class. A sample without another one of its class is left out.
     * @throws IllegalArgumentException if no class has two samples
     */
    public DrawnGroups pairs() {
        ClassIndex index = ClassIndex.of(labels, 2, 1);
        List<String> words = List.of(index.words("pairs"));
        return new Drawn(index.samples.length, words, group -> index.tuple(group, 2, new int[0][]));
    }

    /**
     * Each sample, with another one of its class and one of another class, both at random. A sample without another
     * one of its class is left out, and drawn as one of another class neither.
     *
     * <p>Those of another class may be those of a list, such as the ones that the model confuses. Where a list is empty
     * or missing, any sample of another class is drawn. A run may be resumed with another list; tokens name that list
     * from then on.
     * <p><b>Memory</b>: 4 bytes a number of the lists, and 16 bytes a list.
     * @param negatives for each sample, those to draw from; none for any
     * @throws IllegalArgumentException if fewer than two classes have two samples, a negative is no sample or of the same
     *     class, or there are more lists than samples
     */
    public DrawnGroups triplets(int[]... negatives) {
        if (negatives.length > labels.length) {
            throw new IllegalArgumentException(
                    "%d lists of negatives were given for %d samples".formatted(negatives.length, labels.length));
        }
        int[][] lists = Arrays.stream(negatives).map(int[]::clone).toArray(int[][]::new);
        for (int sample = 0; sample < lists.length; sample++) {
            for (int negative : lists[sample]) {
                if (negative < 0 || negative >= labels.length || labels[negative] == labels[sample]) {
                    throw new IllegalArgumentException(
                            "negatives of sample %d must be samples in [0, %d) of other classes than %d, was %d"
                                    .formatted(sample, labels.length, labels[sample], negative));
                }
            }
        }
        ClassIndex index = ClassIndex.of(labels, 2, 2);
        List<String> words = new ArrayList<>(List.of(index.words("triplets")));
        if (lists.length > 0) {
            long print = Arrays.stream(lists)
                    .flatMapToLong(list -> IntStream.concat(IntStream.of(list.length), IntStream.of(list))
                            .asLongStream())
                    .reduce(0, Mixing::fold);
            words.add(DrawnGroups.REPLACEABLE + "negatives %016x".formatted(print));
        }
        return new Drawn(index.samples.length, List.copyOf(words), group -> index.tuple(group, 3, lists));
    }

    private static Draw member(Draw group, int sample, long turn) {
        return new Draw(group.seed(), group.epoch(), sample, turn, group.next(), group.left());
    }

    private static long key(Draw group, long... words) {
        return LongStream.of(words).reduce(Mixing.fold(0, group.seed()), Mixing::fold);
    }

    private static int below(long random, int n) {
        return (int) ((random >>> 32) * n >>> 32);
    }

    /** Groups by a function of their draws. */
    private record Drawn(long size, List<String> words, Function<Draw, Draw[]> function) implements DrawnGroups {

        @Override
        public Draw[] members(Draw group) {
            return function.apply(group);
        }

        @Override
        public String toString() {
            return "%,d %s an epoch".formatted(size, words.get(0));
        }
    }

    /**
     * The samples of the classes that are large enough, class by class.
     *
     * @param samples class by class, in the order of the labels
     * @param ends    of the classes among them
     * @param print   of all labels
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record ClassIndex(int[] samples, int[] ends, long print) {

        /**
         * Leaves out classes of fewer samples.
         * @param classes at least this many must be left
         */
        static ClassIndex of(int[] labels, int each, int classes) {
            Collection<List<Integer>> all = IntStream.range(0, labels.length)
                    .boxed()
                    .collect(Collectors.groupingBy(sample -> labels[sample], TreeMap::new, Collectors.toList()))
                    .values();
            List<List<Integer>> large =
                    all.stream().filter(its -> its.size() >= each).toList();
            if (large.size() < classes) {
                throw new IllegalArgumentException(
                        "%d classes of %d samples or more are needed, %d of %d classes have them"
                                .formatted(classes, each, large.size(), all.size()));
            }
            int[] ends = large.stream().mapToInt(List::size).toArray();
            Arrays.parallelPrefix(ends, Integer::sum);
            return new ClassIndex(
                    large.stream()
                            .flatMap(List::stream)
                            .mapToInt(sample -> sample)
                            .toArray(),
                    ends,
                    IntStream.of(labels).asLongStream().reduce(0, Mixing::fold));
        }

        int begin(int number) {
            return number == 0 ? 0 : ends[number - 1];
        }

        int count(int number) {
            return ends[number] - begin(number);
        }

        /** The class of a place among the samples. */
        int classOf(int place) {
            int found = Arrays.binarySearch(ends, place);
            return found >= 0 ? found + 1 : -found - 1;
        }

        /** What a class gives in a round: the next samples of its pass, which is numbered over all epochs as rounds are. */
        Stream<Draw> next(Draw group, int number, long round, int each) {
            int count = count(number);
            long pass = round / (count / each);
            int taken = (int) (round % (count / each)) * each;
            Permutation dealt = new Permutation(count, key(group, PASSES, number, pass));
            return IntStream.range(taken, taken + each)
                    .map(place -> samples[begin(number) + (int) dealt.index(place)])
                    .mapToObj(sample -> member(group, sample, pass));
        }

        /** An anchor, a sample of its class, and one of another class. */
        Draw[] tuple(Draw group, int roles, int[][] negatives) {
            return IntStream.range(0, roles)
                    .mapToObj(role -> {
                        // a sample's use as an anchor has another turn than its uses as a partner, and each its own
                        long turn = role == 0 ? 0 : 2 * group.index() + role;
                        return member(group, sample(group, role, negatives), turn);
                    })
                    .toArray(Draw[]::new);
        }

        private int sample(Draw group, int role, int[][] negatives) {
            int place = (int) group.index();
            int anchor = samples[place];
            int number = classOf(place);
            long random = key(group, PARTNERS, group.epoch(), place, role - 1);
            if (role == 0) {
                return anchor;
            }
            if (role == 1) {
                int other = begin(number) + below(random, count(number) - 1);
                return samples[other < place ? other : other + 1];
            }
            if (anchor < negatives.length && negatives[anchor].length > 0) {
                return negatives[anchor][below(random, negatives[anchor].length)];
            }
            int other = below(random, samples.length - count(number));
            return samples[other < begin(number) ? other : other + count(number)];
        }

        String words(String kind) {
            return "%s of %,d samples in %,d classes, labels %016x".formatted(kind, samples.length, ends.length, print);
        }
    }
}
