package io.penstock.cache;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A tier whose values lie in memory that may become unreadable, such as a mapped file that another program may cut
 * shorter. {@link #get} and {@link #getAll} give copies. Who reads views at once, and can ask again, is lent them.
 */
public interface LendingTier extends Tier {

    /** As {@link #getAll}, but with views: what is read of them counts only if {@link #lost} is then what it was before. */
    boolean lendAll(SampleKey[] keys, @Nullable ByteBuffer[] found);

    /** How often values were found unreadable, in all. */
    long lost();
}
