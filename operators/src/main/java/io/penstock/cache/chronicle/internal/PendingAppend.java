package io.penstock.cache.chronicle.internal;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.cache.internal.WriteBehind;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** An entry that waits to be appended. */
public final class PendingAppend extends WriteBehind.Write {

    private static final Encoded NOTHING = Encoded.of(ByteBuffer.allocate(0));

    final Provenance provenance;
    final boolean tombstone;

    /** Of the room for what waits, what it takes while it can be found. */
    public long counted;

    /** Whether it is in the files, or need not be. */
    public boolean appended;

    /** Where it has room. */
    Claims.@Nullable Claim claim;

    private final Object cancelling = new Object();
    private boolean cancelled;

    private PendingAppend(SampleKey key, Encoded value, Provenance provenance, boolean tombstone) {
        super(key, value);
        this.provenance = provenance;
        this.tombstone = tombstone;
    }

    public static PendingAppend value(SampleKey key, Encoded value, Provenance provenance) {
        return new PendingAppend(key, value.compact(), provenance, false);
    }

    public static PendingAppend tombstone(SampleKey key) {
        return new PendingAppend(key, NOTHING, Provenance.UNKNOWN, true);
    }

    /** The key is to be forgotten: the entry is not published after this. */
    public void cancel() {
        synchronized (cancelling) {
            cancelled = true;
        }
    }

    public boolean isCancelled() {
        synchronized (cancelling) {
            return cancelled;
        }
    }

    /** Runs it unless the entry was cancelled, and not while it is being cancelled. */
    void publish(Runnable publication) {
        synchronized (cancelling) {
            if (!cancelled) {
                publication.run();
            }
        }
    }

    @Override
    public long bytes() {
        return LogEntry.mostBytes(value().length());
    }
}
