package io.penstock.order;

import io.penstock.order.ClassGroups.ClassIndex;
import io.penstock.order.internal.Mixing;
import java.util.List;

/**
 * Batches of some classes by some samples of each. Rounds and passes are numbered over all epochs, so a group's members
 * follow from its number alone.
 */
final class ClassBatches implements DrawnGroups {

    /** Set the keys of rounds and of passes apart; changing one changes every saved position's meaning. */
    private static final long ROUNDS = 0x524F_554E;

    private static final long PASSES = 0x5041_5353;

    private final ClassIndex index;
    private final int classes;
    private final int each;
    private final int inRound;
    private final long rounds;

    ClassBatches(ClassIndex index, int classes, int each) {
        this.index = index;
        this.classes = classes;
        this.each = each;
        this.inRound = index.classes() / classes;
        this.rounds = Math.max(1, Math.round(index.samples().length / ((double) inRound * classes * each)));
    }

    @Override
    public long size() {
        return rounds * inRound;
    }

    @Override
    public List<String> words() {
        return List.of(index.words("batches of %d classes by %d".formatted(classes, each)));
    }

    @Override
    public Draw[] members(Draw group) {
        long round = group.epoch() * rounds + group.index() / inRound;
        int first = (int) (group.index() % inRound) * classes;
        long seed = Mixing.fold(0, group.seed());
        Permutation dealt = new Permutation(index.classes(), Mixing.fold(Mixing.fold(seed, ROUNDS), round));
        Draw[] members = new Draw[classes * each];
        for (int place = 0; place < classes; place++) {
            int number = (int) dealt.index(first + place);
            int count = index.count(number);
            long pass = round / (count / each);
            int taken = (int) (round % (count / each)) * each;
            Permutation samples =
                    new Permutation(count, Mixing.fold(Mixing.fold(Mixing.fold(seed, PASSES), number), pass));
            for (int sample = 0; sample < each; sample++) {
                int at = index.begin(number) + (int) samples.index(taken + sample);
                members[place * each + sample] =
                        new Draw(group.seed(), group.epoch(), index.samples()[at], pass, group.next(), group.left());
            }
        }
        return members;
    }

    @Override
    public String toString() {
        return "%,d %s an epoch".formatted(size(), words().get(0));
    }
}
