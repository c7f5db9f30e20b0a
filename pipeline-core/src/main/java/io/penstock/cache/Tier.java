package io.penstock.cache;

import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One place where bytes are kept by key. Any number of threads, caches and datasets share it.
 *
 * <p>A tier may forget or refuse a value, but never changes one: {@link #get} returns for a key what was put for it. A cache
 * takes a failing tier for one that misses or refuses, so a tier may throw.
 *
 * <p>A tier only keeps bytes. Which tier a value goes to, who loads it and what is counted is the {@link Cache}'s business.
 * No method has a default. What only some tiers can do is an interface of its own: {@link SharedTier}, {@link RemovableTier},
 * {@link ListedTier}, {@link ProvenanceTier}.
 */
public interface Tier extends AutoCloseable {

    /** What a full tier does with one more value. */
    enum Eviction {
        /** Refuses it, or replaces spare copies by it. */
        NONE,
        /** Keeps it and hands the values that give way back to the cache, which puts them into the next slower tier. */
        RETURNED,
        /** Keeps it and drops values in an order of its own. A cache copies nothing that it finds here to faster tiers. */
        DROPPED
    }

    /** The name in reports: {@code ram}, {@code disk}. */
    String name();

    /** What it does when it is full. Always the same. */
    Eviction eviction();

    /**
     * The bytes put for a key; empty is a miss. The buffer is a read-only view that stays valid while it is reachable.
     *
     * <p>A tier that can answer at once returns a {@code Mono} that is a {@code Callable}, such as {@code Mono.just} and
     * {@code Mono.empty}. The cache then asks it on the thread that wants the sample.
     */
    Mono<ByteBuffer> get(SampleKey key);

    /**
     * Looks up several keys in one call: {@code found[i]} gets the bytes put for {@code keys[i]}, or stays null.
     * @return whether it looked them up; {@code false} if the keys are to be asked for one by one
     */
    boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found);

    /**
     * Offers a value. Completes once the tier has taken, refused or copied the bytes. A full tier refuses without an error;
     * a key that is present keeps its bytes. The value is not written to afterwards.
     */
    Mono<Put> put(SampleKey key, Encoded value, Entry about);

    /** Whether a put could be taken now. A cache asks before it encodes a value, so a full tier costs no encoding. */
    boolean accepts(SampleKey key, Entry about);

    /** How full it is, and how it was used. */
    TierStatistics statistics();

    /** Releases its resources. Views already returned stay valid; later calls miss. */
    @Override
    void close();
}
