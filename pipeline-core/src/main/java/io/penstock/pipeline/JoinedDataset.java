package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.internal.Notice;
import io.penstock.order.Draw;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** Left samples with their right partners, if they have one; deterministic, so a dataset itself. */
final class JoinedDataset<A, B> extends Stage<JoinedDataset.Pair<A, B>> implements Dataset<JoinedDataset.Pair<A, B>> {

    private static final Logger LOG = LoggerFactory.getLogger(JoinedDataset.class);

    private final Stage<A> left;
    private final Stage<B> right;
    private final int[] lefts;
    private final Join.Partners partners;
    private final String words;

    record Pair<A, B>(A left, @Nullable B right) {}

    private JoinedDataset(Stage<A> left, Stage<B> right, boolean inner, Join.Partners partners) {
        super(left.fingerprint().with(inner ? "inner join" : "left join").with(right.fingerprint()), left, right);
        this.left = left;
        this.right = right;
        this.lefts = (inner ? partners.matched() : IntStream.range(0, (int) left.size())).toArray();
        this.partners = partners;
        this.words = "%s join, %,d samples: %s"
                .formatted(inner ? "inner" : "left", lefts.length, partners.words(right.size()));
    }

    static <A, B, R> Dataset<R> of(
            String stage,
            Stage<A> left,
            Stage<B> right,
            Join join,
            BiFunction<? super A, ? super @Nullable B, ? extends R> combine) {
        JoinedDataset<A, B> joined =
                new JoinedDataset<>(left, right, join.isInner(), join.partners(stage, left, right));
        if (!joined.words.contains(": 0 left samples without a partner, 0 right ones without, 0 twins")) {
            Notice.warn(LOG, "join \"{}\": {}", stage, joined.words);
        }
        return joined.map(stage, pair -> combine.apply(pair.left, pair.right));
    }

    @Override
    Object begin(Draw draw) {
        int at = lefts[(int) draw.index()];
        int partner = partners.of(at);
        Object begun = left.begin(draw.at(at));
        return partner < 0
                ? ZippedDataset.pair(begun, "no right sample", (a, none) -> new Pair<>(a, null))
                : ZippedDataset.pair(begun, right.begin(draw.at(partner)), Pair::new);
    }

    @Override
    public Mono<Void> prefetch(long[] indices) {
        long[] above = Arrays.stream(indices).map(index -> lefts[(int) index]).toArray();
        long[] theirs = Arrays.stream(above)
                .map(partners::of)
                .filter(index -> index >= 0)
                .toArray();
        return Mono.when(left.prefetch(above), right.prefetch(theirs));
    }

    @Override
    public long size() {
        return lefts.length;
    }

    @Override
    int part(long index) {
        return left.part(lefts[(int) index]);
    }

    @Override
    public Fingerprint source() {
        return fingerprint();
    }

    @Override
    public SampleId id(long index) {
        int at = lefts[(int) Objects.checkIndex(index, size())];
        int partner = partners.of(at);
        return left.id(at).joined(partner < 0 ? null : right.id(partner));
    }

    @Override
    public String toString() {
        return "left: %s%nright: %s%n%s".formatted(left, right, words);
    }
}
