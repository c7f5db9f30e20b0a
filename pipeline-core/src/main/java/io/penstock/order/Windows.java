package io.penstock.order;

import io.penstock.order.internal.Mixing;
import org.jspecify.annotations.Nullable;

/**
 * The order of one epoch that reads runs of neighbours, its windows: several are open at a time and take turns, and
 * each is shuffled in itself. {@code docs/order.md} specifies it.
 *
 * <p>The windows are put in random order and cut into groups of {@code interleaved} or more. The draws of a group go
 * round by round: each round takes one sample of each window, and begins at another one every time. So b draws in a row
 * come from as many windows as there are, up to b, each as often as the others, give or take one. Where every window is
 * of one class, their number of a class varies {@code b / interleaved} times as much as that of b draws at random, and
 * at least as much as those; with one window open it is b times.
 *
 * <p>What is left behind the last whole window is a shorter one more, in a group drawn at random.
 *
 * <p>Memory: 60 bytes for each window of the group that was drawn from last, up to 1,024 windows.
 */
final class Windows implements Order.Epoch {

    /** Numbers that no window has, to derive keys by. */
    private static final long AMONG = -1;

    private static final long REST = -2;
    private static final long TURNS = -3;

    /** Groups of more windows find each of them anew for each draw. */
    private static final int KEPT = 1024;

    private final long window;
    private final long key;
    private final long turnKey;
    private final long windows;
    private final long rest;
    private final long each;
    private final long larger;
    private final long restFrom;
    private final long restTo;
    private final Permutation among;

    /** What most draws are of. Racy by intent: a group is the same whoever makes it. */
    private volatile @Nullable Group recent;

    Windows(long size, long window, int interleaved, long key) {
        this.window = window;
        this.key = key;
        this.turnKey = Mixing.fold(key, TURNS);
        this.windows = size / window;
        this.rest = size - windows * window;
        long groups = Math.max(1, windows / interleaved);
        this.each = windows / groups;
        this.larger = windows - each * groups;
        this.among = new Permutation(windows, Mixing.fold(key, AMONG));
        long restGroup = Long.remainderUnsigned(Mixing.fold(key, REST), groups);
        this.restFrom = rest == 0 ? size : before(restGroup) * window;
        this.restTo = rest == 0 ? size : before(restGroup + 1) * window + rest;
    }

    /** The number of windows in the groups before this one; the first groups have one more. */
    private long before(long group) {
        return group * each + Math.min(group, larger);
    }

    @Override
    public long index(long position) {
        Group group = group(position);
        Open open = group.open(group.lane(position));
        return open.from + open.order.index(group.round(position));
    }

    @Override
    public void indices(long[] positions, long[] turns) {
        long[] from = new long[positions.length];
        Order.Epoch[] orders = new Order.Epoch[positions.length];
        for (int i = 0; i < positions.length; i++) {
            Group group = group(positions[i]);
            Open open = group.open(group.lane(positions[i]));
            from[i] = open.from;
            orders[i] = open.order;
            positions[i] = group.round(positions[i]);
        }
        Permutation.indices(orders, positions);
        for (int i = 0; i < positions.length; i++) {
            positions[i] += from[i];
        }
    }

    @Override
    public long endOfWindows(long position) {
        return group(position).end;
    }

    @Override
    public long[] windows(long position) {
        return find(position).bounds();
    }

    private Group group(long position) {
        Group last = recent;
        if (last != null && position >= last.start && position < last.end) {
            return last;
        }
        Group group = find(position);
        recent = group;
        return group;
    }

    private Group find(long position) {
        if (position >= restFrom && position < restTo) {
            return new Group(restFrom, restTo, restFrom / window, (restTo - restFrom) / window, rest);
        }
        long before = position < restFrom ? 0 : rest;
        long number = (position - before) / window;
        long inLarger = larger * (each + 1);
        long group = number < inLarger ? number / (each + 1) : larger + (number - inLarger) / each;
        long first = before(group);
        long whole = each + (group < larger ? 1 : 0);
        return new Group(first * window + before, (first + whole) * window + before, first, whole, 0);
    }

    /** A window and the order of its samples. */
    private record Open(long from, Permutation order) {}

    /** The windows that are open together. */
    private final class Group {
        private final long start;
        private final long end;
        private final long first;
        private final long whole;
        private final long roundsOfAll; // in which the shorter window takes part
        private final @Nullable Open[] opened;

        /** The group of draws from {@code start} to {@code end}, with {@code first} windows before it. */
        Group(long start, long end, long first, long whole, long roundsOfAll) {
            this.start = start;
            this.end = end;
            this.first = first;
            this.whole = whole;
            this.roundsOfAll = roundsOfAll;
            this.opened = new Open[whole < KEPT ? (int) whole + 1 : 0];
        }

        private boolean isOfAll(long place) {
            return place < roundsOfAll * (whole + 1);
        }

        /** Which of the windows a draw is of; the shorter one comes last. */
        long lane(long position) {
            long place = position - start;
            boolean all = isOfAll(place);
            long lanes = all ? whole + 1 : whole;
            long turn = (all ? place : place - roundsOfAll * (whole + 1)) % lanes;
            long lane = turn + ((Mixing.fold(turnKey, position - turn) >>> 32) * lanes >>> 32);
            return lane < lanes ? lane : lane - lanes;
        }

        /** How many draws of the same window come before it. */
        long round(long position) {
            long place = position - start;
            return isOfAll(place) ? place / (whole + 1) : roundsOfAll + (place - roundsOfAll * (whole + 1)) / whole;
        }

        /** The first and the last index of each window; none of a group of too many. */
        long[] bounds() {
            long[] bounds = new long[2 * Math.max(0, opened.length - (roundsOfAll > 0 ? 0 : 1))];
            for (int lane = 0; lane < bounds.length / 2; lane++) {
                long from = open(lane).from;
                bounds[2 * lane] = from;
                bounds[2 * lane + 1] = from + (lane == whole ? rest : window) - 1;
            }
            return bounds;
        }

        Open open(long lane) {
            if (lane >= opened.length) {
                return find(lane);
            }
            Open open = opened[(int) lane];
            if (open == null) {
                open = find(lane);
                opened[(int) lane] = open;
            }
            return open;
        }

        private Open find(long lane) {
            long which = lane == whole ? windows : among.index(first + lane);
            return new Open(which * window, new Permutation(lane == whole ? rest : window, Mixing.fold(key, which)));
        }
    }
}
