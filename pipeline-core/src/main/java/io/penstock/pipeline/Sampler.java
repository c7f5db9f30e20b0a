package io.penstock.pipeline;

/**
 * Which samples a run draws, in which order: (seed, epoch, rank, position) turned into draws by arithmetic alone.
 *
 * <p>Rank r of w takes every w-th draw of the global order, from r on, so the ranks' draws interleave to the same global
 * order at every world size. Nothing is stored a sample: a billion cost as little as ten. Immutable; every method
 * returns a copy.
 */
public final class Sampler {

    private final Order order;
    private final long seed;
    private final long epochs;
    private final Shard shard;
    private final Remainder remainder;
    private final Position start;

    private Sampler(Order order, long seed, long epochs, Shard shard, Remainder remainder, Position start) {
        this.order = order;
        this.seed = seed;
        this.epochs = epochs;
        this.shard = shard;
        this.remainder = remainder;
        this.start = start;
    }

    private Sampler(Order order, long seed) {
        this(order, seed, 1, Shard.WHOLE, Remainder.PAD, Position.START);
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
     * Runs of {@code window} neighbouring samples in random order, shuffled within each run: nearly sequential reads for
     * sources that need them. A last run of fewer samples stays last.
     * @throws IllegalArgumentException if {@code window < 1}
     */
    public static Sampler windowed(long seed, long window) {
        if (window < 1) {
            throw new IllegalArgumentException("window must be at least 1, was " + window);
        }
        return new Sampler(new Order.Windowed(window), seed);
    }

    /** Another seed, of order and augmentation. */
    public Sampler seed(long seed) {
        return new Sampler(order, seed, epochs, shard, remainder, start);
    }

    /**
     * The number of epochs of the whole run, those before a {@link #resumeAt} position included; 1 unless set.
     * @throws IllegalArgumentException if negative
     */
    public Sampler epochs(long epochs) {
        if (epochs < 0) {
            throw new IllegalArgumentException("epochs must not be negative: " + epochs);
        }
        return new Sampler(order, seed, epochs, shard, remainder, start);
    }

    /** The draws of one rank only. */
    public Sampler shard(Shard shard) {
        return new Sampler(order, seed, epochs, shard, remainder, start);
    }

    /** What becomes of draws that do not divide evenly over the ranks: {@link Remainder#PAD} unless set. */
    public Sampler remainder(Remainder remainder) {
        return new Sampler(order, seed, epochs, shard, remainder, start);
    }

    /** Goes on at a position that a {@link Draw#next} or a batch gave, at whatever world size. */
    public Sampler resumeAt(Position position) {
        return new Sampler(order, seed, epochs, shard, remainder, position);
    }

    public long seed() {
        return seed;
    }

    public long epochs() {
        return epochs;
    }

    public Shard shard() {
        return shard;
    }

    public Remainder remainder() {
        return remainder;
    }

    public Position start() {
        return start;
    }

    /**
     * This rank's draws from a dataset of {@code size} samples.
     * @throws IllegalArgumentException if the start lies outside the dataset or {@code size} is negative
     */
    public Draws draws(long size) {
        return new Draws(this, order, size);
    }

    /** Order, seed and shard in words: {@code shuffled, seed 42, 3 epochs, rank 0 of 1}. */
    @Override
    public String toString() {
        return "%s, seed %d, %d epochs, rank %d of %d, %s"
                .formatted(order, seed, epochs, shard.rank(), shard.worldSize(), remainder);
    }
}
