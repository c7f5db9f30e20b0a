package io.penstock.order;

import io.penstock.order.internal.Mixing;
import java.util.Arrays;
import java.util.stream.IntStream;

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
        return new ClassBatches(ClassIndex.of(labels, each, classes), classes, each);
    }

    /**
     * Each sample, with another one of its class. A sample without another one of its class is left out.
     * @throws IllegalArgumentException if no class has two samples
     */
    public DrawnGroups pairs() {
        return new Tuples(ClassIndex.of(labels, 2, 1), null);
    }

    /**
     * Each sample, with another one of its class and one of another class, both at random. A sample without another
     * one of its class is left out, and drawn as one of another class neither.
     * @throws IllegalArgumentException if fewer than two classes have two samples
     */
    public DrawnGroups triplets() {
        return new Tuples(ClassIndex.of(labels, 2, 2), new int[0][]);
    }

    /**
     * The same, where the samples of another class are those of a list, such as the ones that the model confuses. Where
     * a list is empty or missing, any sample of another class is drawn.
     *
     * <p>A run may be resumed with another list; tokens name that list from then on.
     * <p><b>Memory</b>: 4 bytes a number of the lists, and 16 bytes a list.
     * @param negatives for each sample, those to draw from
     * @throws IllegalArgumentException if one is no sample or of the same class, or there are more lists than samples
     */
    public DrawnGroups triplets(int[][] negatives) {
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
        return new Tuples(ClassIndex.of(labels, 2, 2), lists);
    }

    /**
     * The samples of the classes that are large enough, class by class.
     *
     * @param samples class by class, in the order of the labels
     * @param ends    of the classes among them
     * @param print   of all labels
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record ClassIndex(int[] samples, int[] ends, long print) {

        /**
         * Leaves out classes of fewer samples.
         * @param classes at least this many must be left
         */
        static ClassIndex of(int[] labels, int each, int classes) {
            long print = 0;
            for (int label : labels) {
                print = Mixing.fold(print, label);
            }
            long[] sorted = IntStream.range(0, labels.length)
                    .mapToLong(sample -> (long) labels[sample] << Integer.SIZE | sample)
                    .sorted()
                    .toArray();
            int[] samples = new int[labels.length];
            int[] ends = new int[labels.length];
            int all = 0;
            int large = 0;
            int end = 0;
            for (int from = 0, to = 0; from < sorted.length; from = to) {
                while (to < sorted.length && sorted[to] >> Integer.SIZE == sorted[from] >> Integer.SIZE) {
                    samples[end + to - from] = (int) sorted[to++];
                }
                all++;
                if (to - from >= each) {
                    end += to - from;
                    ends[large++] = end;
                }
            }
            if (large < classes) {
                throw new IllegalArgumentException(
                        "%d classes of %d samples or more are needed, %d of %d classes have them"
                                .formatted(classes, each, large, all));
            }
            return new ClassIndex(Arrays.copyOf(samples, end), Arrays.copyOf(ends, large), print);
        }

        int classes() {
            return ends.length;
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

        String words(String kind) {
            return "%s of %,d samples in %,d classes, labels %016x".formatted(kind, samples.length, ends.length, print);
        }
    }
}
