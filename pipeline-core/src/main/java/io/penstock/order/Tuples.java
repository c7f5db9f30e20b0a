package io.penstock.order;

import io.penstock.order.ClassGroups.ClassIndex;
import io.penstock.order.internal.Mixing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Each sample with another one of its class, and one of another class if there are negatives.
 *
 * @param negatives for samples, those to draw from in place of any of another class; null for pairs
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Tuples(ClassIndex index, int @Nullable [][] negatives) implements DrawnGroups {

    /** Sets the partners' random numbers apart; changing it changes every saved position's meaning. */
    private static final long PARTNERS = 0x5041_4952;

    @Override
    public long size() {
        return index.samples().length;
    }

    @Override
    public List<String> words() {
        String kind = index.words(negatives == null ? "pairs" : "triplets");
        if (negatives == null || negatives.length == 0) {
            return List.of(kind);
        }
        long print = 0;
        for (int[] list : negatives) {
            print = Mixing.fold(print, list.length);
            for (int negative : list) {
                print = Mixing.fold(print, negative);
            }
        }
        return List.of(kind, REPLACEABLE + "negatives %016x".formatted(print));
    }

    @Override
    public Draw[] members(Draw group) {
        int anchor = (int) group.index();
        int number = index.classOf(anchor);
        int begin = index.begin(number);
        int count = index.count(number);
        long key = Mixing.fold(Mixing.fold(Mixing.fold(Mixing.fold(0, group.seed()), PARTNERS), group.epoch()), anchor);
        int positive = begin + below(Mixing.fold(key, 0), count - 1);
        Draw[] members = new Draw[negatives == null ? 2 : 3];
        members[0] = member(group, index.samples()[anchor], 0);
        members[1] = member(group, index.samples()[positive < anchor ? positive : positive + 1], 1);
        if (negatives != null) {
            members[2] = member(group, negative(index.samples()[anchor], begin, count, Mixing.fold(key, 1)), 2);
        }
        return members;
    }

    private int negative(int anchor, int begin, int count, long random) {
        int[][] lists = negatives;
        if (lists != null && anchor < lists.length && lists[anchor].length > 0) {
            return lists[anchor][below(random, lists[anchor].length)];
        }
        int place = below(random, index.samples().length - count);
        return index.samples()[place < begin ? place : place + count];
    }

    /** A sample's use as an anchor has another turn than its uses as a partner, and each of them its own. */
    private static Draw member(Draw group, int sample, int role) {
        long turn = role == 0 ? 0 : 2 * group.index() + role;
        return new Draw(group.seed(), group.epoch(), sample, turn, group.next(), group.left());
    }

    private static int below(long random, int n) {
        return (int) ((random >>> 32) * n >>> 32);
    }

    @Override
    public String toString() {
        return "%,d %s an epoch".formatted(size(), words().get(0));
    }
}
