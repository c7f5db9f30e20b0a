package io.penstock.order;

import io.penstock.order.internal.Mixing;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The order of a mixture: a {@link SourceSchedule} says each draw's source, and each source has an order and passes of
 * its own, which go on from one epoch to the next. {@code docs/order.md} specifies it.
 *
 * <p>Draws are numbered over all epochs. A source's n-th draw is of its pass n / size, at the place n mod size. The
 * weights may be changed at a position: the schedule begins again there, and the sources go on where they are. An epoch
 * keeps its number of draws then.
 */
final class MixedOrder implements Order {

    /** Sets a source's seed apart from the mixture's; changing it changes every saved position's meaning. */
    private static final long MIXED = 0x4D49_5845L;

    private static final long MAX_NUMBER = 1L << 61;
    private static final String NUMBERS = "\\d{1,19}(?::\\d{1,19}){0,254}";
    private static final Pattern STATE =
            Pattern.compile("(%s|%s)(?: since epoch (\\d{1,19}) offset (\\d{1,19}) counts (%s))?"
                    .formatted(NUMBERS, WeightList.PATTERN, NUMBERS));

    private final Order within;
    private final Proportions proportions;
    private final SourceSchedule schedule;
    private final long draws;
    private final Base base;

    /** Whether the schedule is that of the whole run. */
    private final boolean isUnchanged;

    private final long[] sizes;
    private final long[] starts;

    /** Where the schedule begins, and how often each source was drawn before. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Base(Position at, long[] counts) {
        long drawn() {
            return LongStream.of(counts).sum();
        }
    }

    private MixedOrder(
            Order within,
            Proportions proportions,
            SourceSchedule schedule,
            long draws,
            Base base,
            boolean isUnchanged) {
        this.within = within;
        this.proportions = proportions;
        this.schedule = schedule;
        this.draws = draws;
        this.base = base;
        this.isUnchanged = isUnchanged;
        this.sizes = proportions.sizes();
        this.starts = new long[sizes.length + 1];
        for (int source = 0; source < sizes.length; source++) {
            starts[source + 1] = Math.addExact(starts[source], sizes[source]);
        }
    }

    static MixedOrder of(Order within, Proportions proportions) {
        return whole(within, proportions, proportions.schedule());
    }

    private static MixedOrder whole(Order within, Proportions proportions, SourceSchedule schedule) {
        Base start = new Base(Position.START, new long[proportions.sizes().length]);
        return new MixedOrder(within, proportions, schedule, proportions.draws(schedule), start, true);
    }

    @Override
    public long draws(long size) {
        long wanted = starts[sizes.length];
        if (size != wanted) {
            throw new IllegalArgumentException(
                    "this order mixes sources of %d samples together, the dataset has %d; draw from the concatenation"
                            .formatted(wanted, size));
        }
        return draws;
    }

    @Override
    public Epoch epoch(long seed, long epoch, long size) {
        return new MixedEpoch(seed, number(epoch, 0));
    }

    /** The number of a position's next draw in the schedule; negative before its beginning. */
    private long number(long epoch, long offset) {
        long epochs = epoch - base.at.epoch();
        if (draws > 0 && epochs > MAX_NUMBER / draws) {
            throw new IllegalArgumentException(
                    "epoch %d is out of reach of a mixture with %d draws an epoch".formatted(epoch, draws));
        }
        return epochs * draws + offset - base.at.offset();
    }

    private final class MixedEpoch implements Epoch {
        private final long seed;
        private final long first;

        /** Each source's pass drawn from last. Racy, and immutable: a thread that needs another one makes its own. */
        private final @Nullable Pass[] passes = new Pass[sizes.length];

        private record Pass(long number, Epoch order) {}

        MixedEpoch(long seed, long first) {
            this.seed = seed;
            this.first = first;
        }

        @Override
        public long index(long position) {
            long[] positions = {position};
            indices(positions, new long[1]);
            return positions[0];
        }

        @Override
        public void indices(long[] positions, long[] turns) {
            Epoch[] orders = new Epoch[positions.length];
            int[] sources = new int[positions.length];
            for (int i = 0; i < positions.length; i++) {
                long number = number(positions[i]);
                int source = schedule.source(number);
                long count = base.counts[source] + schedule.before(number, source);
                long pass = count / sizes[source];
                positions[i] = count - pass * sizes[source];
                turns[i] = pass;
                orders[i] = order(source, pass);
                sources[i] = source;
            }
            Permutation.indices(orders, positions);
            for (int i = 0; i < positions.length; i++) {
                positions[i] += starts[sources[i]];
            }
        }

        private long number(long position) {
            long number = first + position;
            if (number < 0) {
                throw new IllegalArgumentException(
                        "the weights of this mixture hold from %s on; draw from there".formatted(base.at));
            }
            return number;
        }

        private Epoch order(int source, long number) {
            Pass pass = passes[source];
            if (pass == null || pass.number != number) {
                long own = Mixing.fold(Mixing.fold(Mixing.fold(0, seed), MIXED), source);
                pass = new Pass(number, within.epoch(own, number, sizes[source]));
                passes[source] = pass;
            }
            return pass.order;
        }
    }

    /** The weights, and where they hold from with the counts of the sources there: what {@link #goingOn} reads. */
    String state() {
        return isUnchanged
                ? schedule.toString()
                : "%s since epoch %d offset %d counts %s"
                        .formatted(schedule, base.at.epoch(), base.at.offset(), joined(base.counts));
    }

    private static String joined(long[] numbers) {
        return LongStream.of(numbers).mapToObj(Long::toString).collect(Collectors.joining(":"));
    }

    /**
     * This mixture as it goes on at a position of another one that may have other weights.
     * @param state of the other
     * @param drawsThere of an epoch of the other
     * @throws IllegalArgumentException if the state is of another number of sources, or contradicts itself, or a list of
     *     weights has other ones before the position
     */
    MixedOrder goingOn(String state, long drawsThere, Position at) {
        MixedOrder there = there(state, drawsThere);
        if (at.compareTo(there.base.at) < 0) {
            throw broken(state, "the run is at epoch %d offset %d".formatted(at.epoch(), at.offset()));
        }
        if (there.schedule.toString().equals(schedule.toString())) {
            return there;
        }
        long number = there.number(at.epoch(), at.offset());
        long[] counts = there.base.counts.clone();
        for (int source = 0; source < counts.length; source++) {
            counts[source] += there.schedule.count(source, number);
        }
        Base here = new Base(at, counts);
        boolean atStart = at.equals(Position.START) && there.draws == draws;
        return new MixedOrder(within, proportions, rest(there, here), there.draws, here, atStart);
    }

    /** A list says the weights of the whole run, so those of draws that were made stay. Others begin again here. */
    private SourceSchedule rest(MixedOrder there, Base here) {
        WeightList list = schedule.weights();
        WeightList old = there.schedule.weights();
        boolean isSame = list.equalsWithin(old, there.base.drawn(), here.drawn());
        if (schedule instanceof ListedSchedule && !isSame) {
            throw new IllegalArgumentException(
                    ("the weights of draws that were made cannot change: the run is at draw %d with %s, and %s is here;"
                                    + " keep the weights up to there, and the end of a line that has begun")
                            .formatted(here.drawn(), old, list));
        }
        boolean isList = schedule instanceof ListedSchedule || there.schedule instanceof ListedSchedule;
        return isList && isSame ? ListedSchedule.goingOn(list, here.counts) : schedule;
    }

    /** The mixture that a state is of. */
    private MixedOrder there(String state, long drawsThere) {
        Matcher words = STATE.matcher(state);
        if (!words.matches()) {
            throw broken(state, "weights such as 7:3 were expected");
        }
        boolean isSame = words.group(1).equals(schedule.toString());
        if (words.group(2) == null) {
            return isSame && isUnchanged ? this : whole(within, proportions, schedule(state, words.group(1)));
        }
        Position at = new Position(number(state, words.group(2)), number(state, words.group(3)));
        Base since = new Base(at, numbers(state, words.group(4)));
        requireConsistent(state, since, drawsThere);
        SourceSchedule old = isSame ? schedule : schedule(state, words.group(1));
        if (old instanceof ListedSchedule) {
            old = ListedSchedule.goingOn(old.weights(), since.counts);
        }
        long all = proportions.endsByDraws() ? draws : drawsThere;
        return new MixedOrder(within, proportions, old, all, since, false);
    }

    private SourceSchedule schedule(String state, String text) {
        if (text.indexOf('=') >= 0) {
            try {
                WeightList list = WeightList.parse(text);
                requireSources(list.sources());
                return new ListedSchedule(list, new long[sizes.length]);
            } catch (IllegalArgumentException e) {
                throw broken(state, String.valueOf(e.getMessage()));
            }
        }
        long[] weights = numbers(state, text);
        requireSources(weights.length);
        LongStream.of(weights)
                .filter(weight -> weight < 1 || weight > PeriodicSchedule.LONG)
                .forEach(weight -> {
                    throw broken(state, "a weight is %d".formatted(weight));
                });
        long sum = LongStream.of(weights).sum();
        if (sum > PeriodicSchedule.LONG) {
            throw broken(state, "the sum of the weights is " + sum);
        }
        return new PeriodicSchedule(
                Arrays.stream(weights).mapToInt(Math::toIntExact).toArray());
    }

    private void requireSources(int there) {
        if (there != sizes.length) {
            throw new IllegalArgumentException(
                    "another mixture: of %d sources there, of %d here".formatted(there, sizes.length));
        }
    }

    private void requireConsistent(String state, Base since, long drawsThere) {
        if (since.counts.length != sizes.length) {
            throw broken(state, "%d counts of %d sources".formatted(since.counts.length, sizes.length));
        }
        boolean inReach = drawsThere >= since.at.offset()
                && (drawsThere == 0 || since.at.epoch() <= MAX_NUMBER / drawsThere)
                && LongStream.of(since.counts).allMatch(count -> count <= MAX_NUMBER);
        if (!inReach || since.drawn() != since.at.epoch() * drawsThere + since.at.offset()) {
            throw broken(state, "the counts are not those of a run with %d draws an epoch".formatted(drawsThere));
        }
    }

    private static long[] numbers(String state, String text) {
        return Arrays.stream(text.split(":"))
                .mapToLong(number -> number(state, number))
                .toArray();
    }

    private static long number(String state, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw broken(state, text + " is out of range");
        }
    }

    private static IllegalArgumentException broken(String state, String why) {
        return new IllegalArgumentException(
                "the mixture of the resume token is damaged: \"%s\": %s".formatted(state, why));
    }

    @Override
    public String toString() {
        return "mixture of %d sources, each %s, until %s".formatted(sizes.length, within, proportions.end());
    }
}
