package io.penstock.order;

import io.penstock.order.internal.Mixing;

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
 */
final class Windows implements Order.Epoch {

    /** Numbers that no window has, to derive keys by. */
    private static final long AMONG = -1;

    private static final long REST = -2;
    private static final long TURNS = -3;

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
        if (position >= restFrom && position < restTo) {
            return index(position, position - restFrom, restFrom / window, (restTo - restFrom) / window);
        }
        long whole = position < restFrom ? position : position - rest;
        long number = whole / window;
        long inLarger = larger * (each + 1);
        long group = number < inLarger ? number / (each + 1) : larger + (number - inLarger) / each;
        long first = before(group);
        return index(position, whole - first * window, first, each + (group < larger ? 1 : 0));
    }

    /**
     * What is drawn at a place within a group of {@code whole} windows, with {@code first} windows before the group.
     */
    private long index(long position, long place, long first, long whole) {
        boolean hasRest = position >= restFrom && position < restTo;
        long roundsOfAll = hasRest ? rest : 0; // in which the shorter window takes part
        long drawsOfAll = roundsOfAll * (whole + 1);
        boolean all = place < drawsOfAll;
        long lanes = all ? whole + 1 : whole;
        long draws = all ? place : place - drawsOfAll;
        long round = draws / lanes;
        long turn = draws - round * lanes;
        long lane = turn + ((Mixing.fold(turnKey, position - turn) >>> 32) * lanes >>> 32);
        lane = lane < lanes ? lane : lane - lanes;
        boolean shorter = lane == whole;
        long which = shorter ? windows : among.index(first + lane);
        long within = all ? round : roundsOfAll + round;
        return which * window + new Permutation(shorter ? rest : window, Mixing.fold(key, which)).index(within);
    }
}
