package io.penstock.order;

/**
 * Whether ranks keep a part of the data over the epochs, which decides how often caches of their own hit.
 *
 * <p>A private cache that holds a share f of what one of R ranks draws in an epoch hits f/R of the time under
 * {@link #global}, since a sample comes back to a rank once in R epochs, and f under {@link #stable}. A cache that all
 * ranks share hits alike under both.
 *
 * <p><b>Partitions.</b> Ranks keep parts because the data is cut into partitions, whose orders are interleaved to one
 * global order: its k-th draw is of partition k mod P. Rank r of w takes every w-th draw, so where w divides P, rank r
 * always draws from the same P/w partitions, and where P divides w, several ranks share one partition. The global order
 * depends on (seed, epoch, P) alone. So a run may go on at any other world size: every remaining sample is drawn once
 * and none twice. Where neither divides the other, that still holds, but ranks keep no part and hit as under
 * {@code global}: pick P with many divisors if the world size will change.
 *
 * <p>The number of partitions is that of the ranks unless said; a resume token remembers it.
 *
 * <p><b>Turns.</b> With {@link #turns} of t draws a partition has t draws in a row: then a batch of all ranks is of one
 * partition if it has t draws. Servers that make batches k mod P each keep a part. Ranks do not.
 */
public final class ShardMode {

    private static final ShardMode GLOBAL = new ShardMode(0, 0, 1);
    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final int AS_MANY_AS_RANKS = 0;

    private final long epochs;
    private final int partitions;
    private final int turn;

    private ShardMode(long epochs, int partitions, int turn) {
        this.epochs = epochs;
        this.partitions = partitions;
        this.turn = turn;
    }

    /** Every epoch shuffled over all ranks: the best mixing, and for shared caches. */
    public static ShardMode global() {
        return GLOBAL;
    }

    /** Each rank keeps its part; the order within the part is another one in every epoch. */
    public static ShardMode stable() {
        return new ShardMode(FOR_EVER, AS_MANY_AS_RANKS, 1);
    }

    /** Parts are kept for this number of epochs, then cut again: better mixing, but caches fill again. */
    public static ShardMode reshardEvery(long epochs) {
        if (epochs < 1) {
            throw new IllegalArgumentException("reshard must be every 1 epoch or more, was " + epochs);
        }
        return new ShardMode(epochs, AS_MANY_AS_RANKS, 1);
    }

    /**
     * The same over this number of partitions, at any number of ranks: that of nodes, where the ranks of a node
     * share a cache, or one that several world sizes divide. No difference to {@link #global}.
     * @throws IllegalArgumentException if less than 1
     */
    public ShardMode partitions(int number) {
        if (number < 1) {
            throw new IllegalArgumentException("partitions must be at least 1, was " + number);
        }
        return isGlobal() ? this : new ShardMode(epochs, number, turn);
    }

    /**
     * The same with partitions that take turns of this number of draws, 1 unless set: those of a batch of all ranks.
     * Draws at the end of an epoch that are no turn of all partitions alternate. No difference to {@link #global}, nor
     * to a sequential order.
     * @throws IllegalArgumentException if less than 1
     */
    public ShardMode turns(int draws) {
        if (draws < 1) {
            throw new IllegalArgumentException("turns must be of 1 draw or more, was " + draws);
        }
        return isGlobal() ? this : new ShardMode(epochs, partitions, draws);
    }

    /** Whether no rank keeps anything. */
    public boolean isGlobal() {
        return epochs == 0;
    }

    /** This mode with as many partitions as ranks, if their number was left open. */
    ShardMode over(int worldSize) {
        return isGlobal() || partitions != AS_MANY_AS_RANKS ? this : new ShardMode(epochs, worldSize, turn);
    }

    /** This mode, with the other's number of partitions if its own was left open and they are kept as long. */
    public ShardMode partitionedAs(ShardMode other) {
        return partitions == AS_MANY_AS_RANKS && epochs == other.epochs ? other : this;
    }

    /**
     * Whether a rank draws from the same partitions in every epoch, until they are cut again.
     * @param worldSize the number of ranks
     */
    public boolean keepsParts(int worldSize) {
        int number = over(worldSize).partitions;
        return !isGlobal() && (turn == 1 || worldSize == 1) && (number % worldSize == 0 || worldSize % number == 0);
    }

    /**
     * The share of the data that a rank comes back to: 1/w under {@link #stable}, all of it under {@link #global}.
     * @param worldSize the number of ranks
     */
    public double keptShare(int worldSize) {
        return keepsParts(worldSize) ? 1.0 / Math.min(worldSize, over(worldSize).partitions) : 1;
    }

    Order apply(Order order, long limit) {
        if (isGlobal()) {
            return limit == Long.MAX_VALUE ? order : new PartitionedOrder(order, 1, FOR_EVER, limit, 1);
        }
        return new PartitionedOrder(order, partitions, epochs, limit, turn);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ShardMode mode
                && mode.epochs == epochs
                && mode.partitions == partitions
                && mode.turn == turn;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Long.hashCode(epochs) + partitions) + turn;
    }

    /**
     * {@code global}, {@code stable}, {@code stable:8}, {@code stable:8x64} with turns of 64, {@code reshard=5} or
     * {@code reshard=5:8}, as {@link #parse} reads it.
     */
    @Override
    public String toString() {
        String mode = isGlobal() ? "global" : epochs == FOR_EVER ? "stable" : "reshard=" + epochs;
        String parts = partitions == AS_MANY_AS_RANKS ? "" : Integer.toString(partitions);
        return mode + (parts.isEmpty() && turn == 1 ? "" : ":" + parts) + (turn == 1 ? "" : "x" + turn);
    }

    /**
     * Reads what {@link #toString} writes.
     * @throws IllegalArgumentException if it is none of these
     */
    public static ShardMode parse(String text) {
        int colon = text.indexOf(':');
        String mode = colon < 0 ? text : text.substring(0, colon);
        try {
            ShardMode parsed = named(mode, text);
            if (colon < 0) {
                return parsed;
            }
            if (parsed.isGlobal()) {
                throw unknown(text);
            }
            String[] numbers = text.substring(colon + 1).split("x", 2);
            ShardMode turning = numbers.length == 1 ? parsed : parsed.turns(Integer.parseInt(numbers[1]));
            return numbers.length == 2 && numbers[0].isEmpty()
                    ? turning
                    : turning.partitions(Integer.parseInt(numbers[0]));
        } catch (NumberFormatException e) {
            throw unknown(text);
        }
    }

    private static ShardMode named(String mode, String text) {
        String reshard = "reshard=";
        if (mode.startsWith(reshard)) {
            return reshardEvery(Long.parseLong(mode.substring(reshard.length())));
        }
        return switch (mode) {
            case "global" -> global();
            case "stable" -> stable();
            default -> throw unknown(text);
        };
    }

    private static IllegalArgumentException unknown(String text) {
        return new IllegalArgumentException(
                "shard mode must be global, stable or reshard=EPOCHS, the latter two perhaps with :PARTITIONS "
                        + "or :PARTITIONSxDRAWS, was \"%s\"".formatted(text));
    }
}
