package io.penstock.pipeline;

import io.penstock.order.Exhausted;
import io.penstock.order.Proportions;
import io.penstock.order.Sampler;
import io.penstock.tensor.Schema;
import java.util.ArrayList;
import java.util.List;

/**
 * Several datasets drawn together by weights.
 * <pre>{@code
 *  Mixture<Photo> mixture = Mixture.of(street, 0.7).and(park, 0.3);
 *  mixture.dataset().map("resize 224", …).augment("flip", …)
 *          .stream(mixture.sampler(Sampler.shuffled(42).epochs(3)))
 * }</pre>
 *
 * <p>Any number of draws from the start on has less than one draw more or less of each source than its weight says.
 * Each source has an order and passes of its own: one ends while another one goes on, and none begins again with an
 * epoch. {@link Sampler#mixed} says what holds of ranks and of resuming.
 *
 * <p>Immutable. <b>Memory</b>: that of {@link Sampler#mixed} for each sampler.
 */
public final class Mixture<T> {

    private final List<Dataset<? extends T>> sources;
    private final Proportions proportions;

    private Mixture(List<Dataset<? extends T>> sources, Proportions proportions) {
        this.sources = List.copyOf(sources);
        this.proportions = proportions;
    }

    /**
     * A first source. Weights are relative to one another.
     * @throws IllegalArgumentException if the source is empty, or the weight is not a finite number above 0
     */
    public static <T> Mixture<T> of(Dataset<? extends T> source, double weight) {
        return new Mixture<>(List.of(source), Proportions.of(source.size(), weight));
    }

    /**
     * One source more.
     * @throws IllegalArgumentException as {@link #of}, or if there are 255 sources already, or if caches keep the
     *     samples of this source and of another one with other fields, or weights that change were said
     */
    public Mixture<T> and(Dataset<? extends T> source, double weight) {
        List<Dataset<? extends T>> more = new ArrayList<>(sources);
        requireLike(source);
        more.add(source);
        return new Mixture<>(more, proportions.and(source.size(), weight));
    }

    private void requireLike(Dataset<? extends T> source) {
        Schema<?> its = Stage.of(source).schema();
        for (int i = 0; i < sources.size() && its != null; i++) {
            Schema<?> other = Stage.of(sources.get(i)).schema();
            if (other != null && !other.names().equals(its.names())) {
                throw new IllegalArgumentException(
                        ("sources %d (%s) and %d (%s) of a mixture do not go together: samples have the fields %s in"
                                        + " the first, %s in the second; map them to one class before their caches")
                                .formatted(
                                        i,
                                        name(sources.get(i)),
                                        sources.size(),
                                        name(source),
                                        other.names(),
                                        its.names()));
            }
        }
    }

    private static String name(Dataset<?> source) {
        return source.toString().lines().findFirst().orElse("");
    }

    /**
     * Other weights from a draw on, counted from 0 over all ranks and epochs: a curriculum. Those from draw 0 on replace
     * the first ones. Any number of draws then has less than one draw more or less of each source than the sum of its
     * weights. A run that is resumed may have other weights behind its position; any number of draws then has less than
     * one draw more of each source, and more than one draw less only where weights were not known in time.
     * <pre>{@code
     *  Mixture.of(easy, 0.9).and(hard, 0.1).weightsAt(50_000, 0.5, 0.5).weightsAt(100_000, 0.2, 0.8).lines()
     * }</pre>
     * @throws IllegalArgumentException if there is not one weight for each source, one is negative or not finite, all
     *     are 0, there is one source, or the draw is negative
     */
    public Mixture<T> weightsAt(long draw, double... weights) {
        return new Mixture<>(sources, proportions.weightsAt(draw, weights));
    }

    /** Lets weights go in a line from one {@link #weightsAt draw} to the next; otherwise they stay until the next. */
    public Mixture<T> lines() {
        return new Mixture<>(sources, proportions.lines());
    }

    /** Lets an epoch end when the first or the last source is exhausted: {@link Exhausted#FIRST} unless set. */
    public Mixture<T> until(Exhausted which) {
        return new Mixture<>(sources, proportions.until(which));
    }

    /** Lets an epoch have this number of draws, over all ranks. */
    public Mixture<T> draws(long anEpoch) {
        return new Mixture<>(sources, proportions.draws(anEpoch));
    }

    /** The samples of all sources, one source after another, as {@link Dataset#concat} has them. */
    public Dataset<T> dataset() {
        return Dataset.concat(sources);
    }

    /**
     * Draws by the weights from {@link #dataset}, or what is made of it, each source in this order.
     * @throws IllegalArgumentException if the order is not sequential, shuffled or windowed, or has a shard mode or a
     *     limit; or if a weight is less than a 2^24th of the sum
     */
    public Sampler sampler(Sampler withinSources) {
        return withinSources.mixed(proportions);
    }
}
