package io.penstock.order;

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
    record Sharing(Shard shard, ShardMode mode, Remainder remainder, long limit) {

        private static final Sharing NONE = new Sharing(Shard.WHOLE, ShardMode.global(), Remainder.PAD, Long.MAX_VALUE);

        /** With the number of partitions said, if there are any. */
        ShardMode resolved() {
            return mode.over(shard.worldSize());
        }
    }

    private Sampler(Order order, long seed, long epochs, Sharing sharing, Position start) {
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
     * another.
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

    /** The draws of one rank only. */
    public Sampler shard(Shard shard) {
        return with(new Sharing(shard, sharing.mode, sharing.remainder, sharing.limit));
    }

    /** Whether ranks keep parts of the data: {@link ShardMode#global} unless set. */
    public Sampler mode(ShardMode mode) {
        return with(new Sharing(sharing.shard, mode, sharing.remainder, sharing.limit));
    }

    /**
     * At most this number of samples an epoch, over all ranks. They are always the same; under
     * {@link ShardMode#reshardEvery} they change whenever parts are cut anew. Picked at random where the order is
     * random, else the first.
     * @throws IllegalArgumentException if negative
     */
    public Sampler limit(long samples) {
        if (samples < 0) {
            throw new IllegalArgumentException("limit must not be negative: " + samples);
        }
        return with(new Sharing(sharing.shard, sharing.mode, sharing.remainder, samples));
    }

    /** What becomes of draws that do not divide evenly over the ranks: {@link Remainder#PAD} unless set. */
    public Sampler remainder(Remainder remainder) {
        return with(new Sharing(sharing.shard, sharing.mode, remainder, sharing.limit));
    }

    /** Goes on at a position that a {@link Draw#next} or a batch gave, at whatever world size. */
    public Sampler resumeAt(Position position) {
        return new Sampler(order, seed, epochs, sharing, position);
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

    /** How many samples an epoch of a dataset of {@code size} draws, over all ranks. */
    public long samples(long size) {
        return Math.min(size, sharing.limit);
    }

    /** The order of an epoch in words, which a resume token keeps: {@code shuffled}. */
    public String order() {
        return order.toString();
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
                + (sharing.limit == Long.MAX_VALUE ? "" : ", at most " + sharing.limit + " samples");
    }
}
