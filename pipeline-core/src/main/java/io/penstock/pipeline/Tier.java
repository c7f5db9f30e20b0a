package io.penstock.pipeline;

import java.nio.ByteBuffer;
import java.util.List;
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
     * Offers the remaining bytes of a buffer under a key. Completes once the tier has taken, refused or copied them; a
     * full tier refuses quietly, and a key that is there already keeps its bytes.
     */
    Mono<Void> put(SampleKey key, ByteBuffer value);

    /**
     * Whether a put of this key could be taken now. Asked before a value is encoded for it, so that a full tier costs
     * nothing; {@code true} unless the tier knows better.
     */
    default boolean accepts(SampleKey key) {
        return true;
    }

    /** How full it is, and how it was used. */
    TierStatistics statistics();

    /** The levels of a chain, fastest first; a plain tier is its own only one. */
    default List<Tier> levels() {
        return List.of(this);
    }

    /**
     * This tier with a slower one behind it: a miss here is looked up there, and what is loaded is offered to both.
     * Associative. Closing the chain closes both.
     */
    default Tier backedBy(Tier slower) {
        return new TierChain(this, slower);
    }

    /** Gives its resources back. Views already handed out stay valid; later calls miss. */
    @Override
    void close();
}
