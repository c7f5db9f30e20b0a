package io.penstock.order;

import java.util.Optional;

/**
 * Which samples a run draws, in which order: (seed, epoch, rank, position) turned into draws by arithmetic alone.
 *
 * <p>Rank r of w takes every w-th draw of the global order, from r on, so the ranks' draws interleave to the same
 * global order at every world size. {@link #mode} says whether a rank keeps a part of the data. No sample is stored: a
 * billion samples cost as little as ten. Immutable; every method returns a copy.
 */
public final class Sampler {

    /** Batches of up to 128 draws of class-sorted data are then at most twice as uneven as a full shuffle's. */
    private static final int INTERLEAVED = 64;

    private static final int MAX_INTERLEAVED = 1 << 20;

    private final Order order;
    private final long seed;
    private final long epochs;
    private final Sharing sharing;
    private final Position start;

    /** How ranks share the draws. */
    record Sharing(Shard shard, ShardMode mode, Remainder remainder, long limit, long first) {

        private static final Sharing NONE =
                new Sharing(Shard.WHOLE, ShardMode.global(), Remainder.PAD, Long.MAX_VALUE, Long.MAX_VALUE);

        /** With the number of partitions said, if there are any. */
        ShardMode resolved() {
            return mode.over(shard.worldSize());
        }

        void requireNone(Order order) {
            if (!mode.isGlobal()) {
                throw new IllegalArgumentException(
                        ("shard mode must be global, was %s: a %s may draw any sample again, "
                                        + "so no rank can keep a part")
                                .formatted(mode, order));
            }
            if (limit != Long.MAX_VALUE) {
                throw new IllegalArgumentException(
                        ("a limit of %d samples is not for a %s; " + "say the draws of an epoch where it is made")
                                .formatted(limit, order));
            }
        }
    }

    private Sampler(Order order, long seed, long epochs, Sharing sharing, Position start) {
        if (!order.isPermutation()) {
            sharing.requireNone(order);
        }
        this.order = order;
        this.seed = seed;
        this.epochs = epochs;
        this.sharing = sharing;
        this.start = start;
    }

    private Sampler(Order order, long seed) {
        this(order, seed, 1, Sharing.NONE, Position.START);
    }

    private Sampler with(Sharing other) {
        return new Sampler(order, seed, epochs, other, start);
    }

    /** As the dataset lies, the same in every epoch; the seed is still that of augmentation, 0 unless set. */
    public static Sampler sequential() {
        return new Sampler(new Order.Sequential(), 0);
    }

    /** Every epoch in another uniformly random order: a keyed permutation, exact at any size. */
    public static Sampler shuffled(long seed) {
        return new Sampler(new Order.Shuffled(), seed);
    }

    /**
     * Runs of {@code window} neighbouring samples in random order, 64 of them at a time, each shuffled in itself: for
     * sources that read neighbours together.
     * @throws IllegalArgumentException if {@code window < 1}
     * @see #windowed(long, long, int)
     */
    public static Sampler windowed(long seed, long window) {
        return windowed(seed, window, INTERLEAVED);
    }

    /**
     * The same with another number of windows that are open at a time: they take turns, so b draws in a row come from b
     * windows, or from all that are open. Where neighbours are alike, as in data that are sorted by class, the number
     * of a class among b draws varies {@code b / interleaved} times as much as in a full shuffle.
     *
     * <p>The cost is memory for what is read and not yet drawn, such as decoded chunks: that of at least
     * {@code interleaved} windows and of fewer than twice as many, or of all there are. With 1 they are read one after
     * another. A dataset that loads the next windows ahead, such as a table, holds as much again.
     * @throws IllegalArgumentException if {@code window < 1} or {@code interleaved} is not in {@code [1, 1,048,576]}
     */
    public static Sampler windowed(long seed, long window, int interleaved) {
        if (window < 1) {
            throw new IllegalArgumentException("window must be at least 1, was " + window);
        }
        if (interleaved < 1 || interleaved > MAX_INTERLEAVED) {
            throw new IllegalArgumentException(
                    "interleaved windows must be in [1, %d], was %d".formatted(MAX_INTERLEAVED, interleaved));
        }
        return new Sampler(new Order.Windowed(window, interleaved), seed);
    }

    /**
     * Samples at random, each as often as its weight says relative to the others, with replacement. An epoch has as
     * many draws as there are samples. A sample of weight 0 is never drawn.
     *
     * <p>Every draw has random numbers of its own, also where one sample is drawn several times in an epoch. Ranks
     * keep no parts: the shard mode is global. <b>Memory</b>: 12 bytes a sample.
     * @param weights of the samples; {@link ClassWeights#balanced} gives those that make classes equal
     * @throws IllegalArgumentException if one is negative or not finite, or none is more than 0
     */
    public static Sampler weighted(long seed, double... weights) {
        return weighted(seed, weights, weights.length);
    }

    /** The same with another number of draws an epoch, over all ranks. */
    public static Sampler weighted(long seed, double[] weights, long draws) {
        return new Sampler(WeightedOrder.of(weights, draws), seed);
    }

    /**
     * This order within each of several sources that lie one after another in a dataset, mixed by their proportions:
     * any number of draws from the start on has less than one draw more or less of each source than its weight says.
     *
     * <p>Each source has passes of its own, each in another order, and goes on with them in the next epoch. Every draw
     * has random numbers of its own, also where one sample is drawn several times in an epoch. Ranks keep no parts: the
     * shard mode is global, because a part would need a schedule and passes of its own.
     *
     * <p>Weights may be changed at a checkpoint: the resume token says how far each source has come. The schedule
     * begins again there, and epochs keep their number of draws.
     *
     * <p><b>Memory</b>: 9 bits a draw of the schedule's period, which is at most 10,000 draws where the weights are
     * whole multiples of a common fraction, and 2^24 (18 MiB) otherwise.
     * @throws IllegalArgumentException if this order is not sequential, shuffled or windowed, or a weight is less than
     *     a 2^24th of their sum
     */
    public Sampler mixed(Proportions proportions) {
        if (!order.isPermutation()) {
            throw new IllegalArgumentException("sources can be sequential, shuffled or windowed, was a " + order);
        }
        return new Sampler(MixedOrder.of(order, proportions), seed, epochs, sharing, start);
    }

    /** Another seed, of order and augmentation. */
    public Sampler seed(long seed) {
        return new Sampler(order, seed, epochs, sharing, start);
    }

    /**
     * The number of epochs of the whole run, those before a {@link #resumeAt} position included; 1 unless set.
     * @throws IllegalArgumentException if negative
     */
    public Sampler epochs(long epochs) {
        if (epochs < 0) {
            throw new IllegalArgumentException("epochs must not be negative: " + epochs);
        }
        return new Sampler(order, seed, epochs, sharing, start);
    }

    /**
     * One epoch alone, with the draws that it has in a run of several: so that a loop trains and validates an epoch at a
     * time. If the start lies inside this epoch it has the draws from there on; if it lies behind it, none.
     * @throws IllegalArgumentException if negative
     */
    public Sampler epoch(long epoch) {
        Position first = new Position(epoch, 0);
        return new Sampler(order, seed, epoch + 1, sharing, start.compareTo(first) > 0 ? start : first);
    }

    /** The draws of one rank only. */
    public Sampler shard(Shard shard) {
        return with(new Sharing(shard, sharing.mode, sharing.remainder, sharing.limit, sharing.first));
    }

    /** Whether ranks keep parts of the data: {@link ShardMode#global} unless set. */
    public Sampler mode(ShardMode mode) {
        return with(new Sharing(sharing.shard, mode, sharing.remainder, sharing.limit, sharing.first));
    }

    /**
     * At most this number of samples an epoch, over all ranks. They are always the same; under
     * {@link ShardMode#reshardEvery} they change whenever parts are cut again. Picked at random where the order is
     * random, else the first.
     * @throws IllegalArgumentException if negative
     */
    public Sampler limit(long samples) {
        if (samples < 0) {
            throw new IllegalArgumentException("limit must not be negative: " + samples);
        }
        return with(new Sharing(sharing.shard, sharing.mode, sharing.remainder, samples, sharing.first));
    }

    /** What becomes of draws that do not divide evenly over the ranks: {@link Remainder#PAD} unless set. */
    public Sampler remainder(Remainder remainder) {
        return with(new Sharing(sharing.shard, sharing.mode, remainder, sharing.limit, sharing.first));
    }

    /** Goes on at a position that a {@link Draw#next} or a batch gave, at any world size. */
    public Sampler resumeAt(Position position) {
        return new Sampler(order, seed, epochs, sharing, position);
    }

    /**
     * The first of a rank's draws from the start on, and no more: those of one batch, for example.
     * @throws IllegalArgumentException if negative
     */
    public Sampler first(long draws) {
        if (draws < 0) {
            throw new IllegalArgumentException("first draws must not be negative: " + draws);
        }
        return with(new Sharing(sharing.shard, sharing.mode, sharing.remainder, sharing.limit, draws));
    }

    public long seed() {
        return seed;
    }

    public long epochs() {
        return epochs;
    }

    public Shard shard() {
        return sharing.shard;
    }

    public ShardMode mode() {
        return sharing.mode;
    }

    /**
     * How many draws an epoch of a dataset of {@code size} has, over all ranks.
     * @throws IllegalArgumentException if the order is mixed or weighted, and of a dataset of another size
     */
    public long samples(long size) {
        return Math.min(order.draws(size), sharing.limit);
    }

    /** The order of an epoch in words, which a resume token keeps: {@code shuffled}. */
    public String order() {
        return order.toString();
    }

    /**
     * The weights of a {@link #mixed} order, and how far its sources had come when they were last changed, as a resume
     * token keeps them: {@code 7:3}. Empty for other orders.
     */
    public Optional<String> mixture() {
        return order instanceof MixedOrder mixed ? Optional.of(mixed.state()) : Optional.empty();
    }

    /**
     * A {@link #mixed} sampler that goes on with the sources of an earlier run, which may have had other weights.
     * @param mixture of the earlier run's sampler
     * @param draws   of an epoch of the earlier run
     * @param at      where it stopped
     * @throws IllegalArgumentException if the mixture is damaged, or has another number of sources
     * @throws IllegalStateException    if this sampler is not mixed
     */
    public Sampler resumeMixture(String mixture, long draws, Position at) {
        if (!(order instanceof MixedOrder mixed)) {
            throw new IllegalStateException("only a mixed sampler can go on with a mixture, was " + order);
        }
        return new Sampler(mixed.goingOn(mixture, draws, at), seed, epochs, sharing, at);
    }

    /** The shard mode with its number of partitions, which is the world size where the mode names none. */
    public ShardMode resolvedMode() {
        return sharing.resolved();
    }

    public Remainder remainder() {
        return sharing.remainder;
    }

    public Position start() {
        return start;
    }

    long first() {
        return sharing.first;
    }

    /**
     * This rank's draws from a dataset of {@code size} samples.
     * @throws IllegalArgumentException if the start lies outside the dataset or {@code size} is negative
     */
    public Draws draws(long size) {
        return new Draws(this, sharing.resolved().apply(order, sharing.limit), size);
    }

    /** Order, seed and shard in words: {@code shuffled, seed 42, 3 epochs, rank 0 of 1, PAD}. */
    @Override
    public String toString() {
        Shard shard = sharing.shard;
        String words = "%s, seed %d, %d epochs, rank %d of %d, %s"
                .formatted(order, seed, epochs, shard.rank(), shard.worldSize(), sharing.remainder);
        return words
                + (sharing.mode.isGlobal() ? "" : ", " + sharing.mode)
                + (sharing.limit == Long.MAX_VALUE ? "" : ", at most " + sharing.limit + " samples")
                + (sharing.first == Long.MAX_VALUE ? "" : ", the first " + sharing.first + " draws");
    }
}
