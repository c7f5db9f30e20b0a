package io.penstock.cache;

import io.penstock.internal.Arguments;
import io.penstock.internal.Begun;
import io.penstock.internal.Notice;
import io.penstock.tensor.Form;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * One or more tiers that keep samples together, the fastest first.
 * <pre>{@code
 *  try (Cache cache = Cache.of(RamTier.ofBytes(8L << 30), ChronicleTier.at(directory).open())) {
 *      dataset.cache(cache, schema).stream(...)
 *  }
 * }</pre>
 *
 * <p>A look-up asks the tiers from the fastest to the slowest. A hit is copied to the faster tiers that have free room. A load
 * is offered to the slower tiers first, and nothing is held twice while something is held nowhere; a tier in LRU order gets
 * the loads and hands down what gives way. Loads of one key are shared: across threads, and across processes if a tier is a
 * {@link SharedTier}.
 *
 * <p>Errors: a failing tier is a miss or a refusal. Each cause is logged once.
 *
 * <p>Threads: any number of them.
 */
public final class Cache implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Cache.class);

    private static final long OPEN = 0;
    private static final long TOLD = 1;

    /** For so long after the cache was closed, a stream that was cancelled before may begin the loads that it had in hand. */
    private static final long IN_HAND_MILLIS = 500;

    private final List<Tier> tiers;
    final TierFaults faults;

    /** When it was closed, in milliseconds since 1970; {@link #OPEN}, or {@link #TOLD} once a warning was printed. */
    private final AtomicLong closed;

    final Level[] levels;
    final Placement placement;

    /** Whether a tier does. */
    final boolean keepsProvenance;

    final @Nullable Form form; // besides the plain one

    final Form.Use formUse;
    private final @Nullable TierObserver observer;

    private Cache(
            List<Tier> tiers,
            TierFaults faults,
            AtomicLong closed,
            @Nullable TierObserver observer,
            @Nullable Form form,
            Form.Use formUse) {
        this.tiers = tiers;
        this.faults = faults;
        this.closed = closed;
        this.observer = observer;
        this.form = form;
        this.formUse = formUse;
        this.levels = new Level[tiers.size()];
        for (int i = 0; i < levels.length; i++) {
            levels[i] = new Level(i, tiers.get(i), faults, observer);
        }
        this.placement = new Placement(levels);
        this.keepsProvenance = tiers.stream().anyMatch(ProvenanceTier.class::isInstance);
    }

    /**
     * A cache of these tiers. Closing it closes them.
     * @throws IllegalArgumentException if there are none
     */
    public static Cache of(Tier... fastestFirst) {
        Arguments.refuse(fastestFirst.length == 0, "a cache needs at least one tier, was given none");
        return new Cache(List.of(fastestFirst), new TierFaults(), new AtomicLong(OPEN), null, null, Form.Use.PLAIN);
    }

    /** This cache, whose calls of its tiers an observer times. Both share the tiers; closing one closes them. */
    public Cache observedBy(TierObserver observing) {
        return new Cache(tiers, faults, closed, observing, form, formUse);
    }

    /**
     * This cache, which may keep the samples of datasets in another form too, if their codec is a
     * {@link io.penstock.tensor.Schema}. What is read never depends on it. Both share the tiers; closing one closes them.
     */
    public Cache withForm(Form other, Form.Use when) {
        return new Cache(tiers, faults, closed, observer, other, when);
    }

    Form form() {
        return Objects.requireNonNull(form);
    }

    /** The tiers, fastest first. */
    public List<Tier> tiers() {
        return tiers;
    }

    /**
     * Forgets a key in every tier.
     * @throws UnsupportedOperationException if a tier is no {@link RemovableTier}
     */
    public void remove(SampleKey key) {
        for (Tier tier : tiers) {
            if (!(tier instanceof RemovableTier removable)) {
                throw new UnsupportedOperationException(
                        "cache tier \"%s\" cannot remove single keys".formatted(tier.name()));
            }
            removable.remove(key);
        }
    }

    /** The sum over the tiers. The misses are those of the slowest: what no tier had. */
    public TierStatistics statistics() {
        return tiers.stream()
                .map(Tier::statistics)
                .reduce((a, b) -> new TierStatistics(
                        a.samples() + b.samples(),
                        a.bytes() + b.bytes(),
                        a.capacity() + b.capacity(),
                        a.hits() + b.hits(),
                        b.misses(),
                        a.refused() + b.refused(),
                        a.evicted() + b.evicted(),
                        a.errors() + b.errors()))
                .orElseThrow();
    }

    /** Closes every tier. A data set that is read on loads every sample again, which is told once it lasts. */
    @Override
    public void close() {
        closed.compareAndSet(OPEN, System.currentTimeMillis());
        tiers.forEach(Tier::close);
    }

    /** A sample is going to be loaded, as no tier has it. */
    void loading() {
        long at = closed.get();
        if (at > TOLD && System.currentTimeMillis() - at > IN_HAND_MILLIS && closed.compareAndSet(at, TOLD)) {
            Notice.warn(
                    LOG,
                    "the cache {} was closed, and its data set is still read: every sample is loaded again, each time; "
                            + "close the cache behind the last stream",
                    tiers.stream().map(Tier::name).toList());
        }
    }

    void producedBy(Producer producer) {
        for (Level level : levels) {
            if (level.tier instanceof ProvenanceTier keeping) {
                try {
                    keeping.producedBy(producer);
                } catch (Throwable e) {
                    level.failed(e);
                }
            }
        }
    }

    /**
     * The leases of all shared tiers as one, or a {@code Mono} of it; {@link Begun#ABSENT} where none is needed. Taken from
     * the slowest to the fastest, so that no two processes wait in a circle.
     */
    Object lease(SampleKey key) {
        return lease(levels.length - 1, key);
    }

    @SuppressWarnings("unchecked") // a level's Mono is one of a lease
    private Object lease(int slowest, SampleKey key) {
        Object own = levels[slowest].lease(key);
        if (slowest == 0) {
            return own;
        }
        if (own instanceof Mono<?> later) {
            return ((Mono<Lease>) later).flatMap(outer -> both(outer, lease(slowest - 1, key)));
        }
        Object inner = lease(slowest - 1, key);
        return own == Begun.ABSENT ? inner : inner == Begun.ABSENT ? own : both((Lease) own, inner);
    }

    private static Mono<Lease> both(Lease outer, Object inner) {
        return Begun.<Lease>toMono(inner)
                .<Lease>map(faster -> () -> {
                    faster.release();
                    outer.release();
                })
                .defaultIfEmpty(outer)
                .doOnError(e -> outer.release())
                .doOnCancel(outer::release);
    }

    @Override
    public String toString() {
        return tiers.stream().map(Tier::toString).collect(Collectors.joining(", then "));
    }
}
