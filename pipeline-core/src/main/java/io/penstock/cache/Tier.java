package io.penstock.cache;

import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One level of a cache: bytes by key. Shared by any number of threads and datasets.
 *
 * <p>A tier may forget or refuse, never lie: what {@code get} returns for a key is what was put for it. One that fails is
 * taken for a miss by whoever asks, so training does not stop for a cache.
 */
public interface Tier extends AutoCloseable {

    /** What reports call this level: {@code ram}, {@code disk}. */
    String name();

    /**
     * The bytes put for a key; empty is a miss. The buffer is a view that stays valid while it is reachable, and is not
     * to be written to.
     *
     * <p>A tier that can answer at once returns a {@code Mono} that is a {@code Callable}, as {@code Mono.just} and
     * {@code Mono.empty} are: it is then asked on the thread that wants the sample, without a hand-over.
     */
    Mono<ByteBuffer> get(SampleKey key);

    /**
     * Looks up several keys in one go, for tiers that can answer at once and do better so than one by one:
     * {@code found[i]} gets what is put for {@code keys[i]}, or stays null.
     * @return whether it did; {@code false}, with nothing looked up, where keys are to be asked for one by one
     */
    default boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return false;
    }

    /**
     * Offers a value under a key, with what is known of it, for tiers that choose by that. Completes once the tier has
     * taken, refused or copied its bytes, with whether it holds the key now; a full tier refuses quietly, and a key that is
     * there already keeps its bytes.
     */
    Mono<Boolean> put(SampleKey key, Encoded value, Offer offer);

    /** Offers the remaining bytes of a buffer, of which nothing is known, and which is not written to any more. */
    default Mono<Boolean> put(SampleKey key, ByteBuffer value) {
        return put(key, Encoded.of(value), Offer.UNKNOWN);
    }

    /**
     * As {@link #put(SampleKey, Encoded, Offer)}, for a tier that {@link #handsDown}: what gives way to the value, or
     * the value itself where it does not fit, is put into what lies behind before this completes.
     */
    default Mono<Boolean> put(SampleKey key, Encoded value, Offer offer, Tier slower) {
        return put(key, value, offer);
    }

    /**
     * Whether what gives way here goes down to the next slower level. A chain offers a load to such a level and to those
     * faster than it, and leaves it to that level what the slower ones get.
     */
    default boolean handsDown() {
        return false;
    }

    /**
     * Told who is about to fill it, before the first put of theirs and perhaps several times. A tier that outlives its
     * process keeps the words, to say later why a key misses; others need not listen. Returns at once, with whether
     * {@link Offer}s should say their origin, which costs a microsecond each.
     */
    default boolean filledBy(Filling filling) {
        return false;
    }

    /**
     * Whether a put of this key could be taken now. Asked before a value is encoded for it, so that a full tier costs
     * nothing; {@code true} unless the tier knows better.
     */
    default boolean accepts(SampleKey key) {
        return true;
    }

    /** As {@link #accepts(SampleKey)}, where it is known what would be offered: a spare copy has to find free room. */
    default boolean accepts(SampleKey key, Offer offer) {
        return accepts(key);
    }

    /**
     * Forgets a key. Whoever reads its bytes now may read on; their room comes back when the tier sees fit.
     * @throws UnsupportedOperationException if the tier cannot
     */
    default void remove(SampleKey key) {
        throw new UnsupportedOperationException("cache tier \"%s\" cannot remove single keys".formatted(name()));
    }

    /**
     * The keys held, each at least once, in no order; empty where the tier cannot tell them, as RAM's index cannot, which
     * keeps too few bits of each.
     */
    default Optional<Flux<SampleKey>> keys() {
        return Optional.empty();
    }

    /**
     * Asks for the right to load a key that was looked up in vain, where others than this process fill the tier too:
     * while someone else has it, the lease is waited for, without a thread; one whose owner died is free. Whoever gets
     * it looks again before loading, and releases it after the put. {@link Lease#NONE} where nobody else fills the tier.
     */
    default Mono<Lease> lease(SampleKey key) {
        return Lease.NONE;
    }

    /**
     * Told that this level of a chain, counted from 0, answered with these bytes, when it is not the fastest: the
     * chain's chance to copy or move them up. Returns at once; what goes wrong here concerns nobody.
     */
    default void answered(int level, SampleKey key, ByteBuffer value) {}

    /**
     * Whether a chain leaves what it finds here where it is. Otherwise it copies it to the faster levels that accept it, which
     * is for levels that hold what they have: in an order of use a copy takes the room of another value.
     */
    default boolean keepsHits() {
        return false;
    }

    /** How full it is, and how it was used. */
    TierStatistics statistics();

    /** The levels of a chain, fastest first; a plain tier is its own only one. */
    default List<Tier> levels() {
        return List.of(this);
    }

    /**
     * This tier with a slower one behind it: a miss here is looked up there, and what is loaded is offered to both,
     * the slower one first: a level that holds a value as a spare copy gives it up for one that nobody else holds. Where
     * a tier {@link #handsDown}, the slower one gets what gives way there instead.
     * Associative. Closing the chain closes both.
     */
    default Tier backedBy(Tier slower) {
        return new TierChain(this, slower);
    }

    /** Gives its resources back. Views already handed out stay valid; later calls miss. */
    @Override
    void close();
}
