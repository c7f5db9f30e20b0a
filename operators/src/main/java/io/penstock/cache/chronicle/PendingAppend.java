package io.penstock.cache.chronicle;

import io.penstock.cache.Origin;
import io.penstock.cache.SampleKey;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** An entry that waits to be appended: its value is served from here until it can be found in the log. */
public final class PendingAppend {

    private static final Encoded NOTHING = Encoded.of(ByteBuffer.allocate(0));

    final SampleKey key;
    final Encoded value;
    final Origin origin;
    final boolean tombstone;
    private final Object fate = new Object();
    private final List<Runnable> afterwards = new ArrayList<>(0);
    private boolean cancelled;
    private boolean done;

    private PendingAppend(SampleKey key, Encoded value, Origin origin, boolean tombstone) {
        this.key = key;
        this.value = value;
        this.origin = origin;
        this.tombstone = tombstone;
    }

    static PendingAppend value(SampleKey key, Encoded value, Origin origin) {
        return new PendingAppend(key, value.compact(), origin, false);
    }

    static PendingAppend tombstone(SampleKey key) {
        return new PendingAppend(key, NOTHING, Origin.UNKNOWN, true);
    }

    /** The key is to be forgotten: it will not be published any more. */
    void cancel() {
        synchronized (fate) {
            cancelled = true;
        }
    }

    boolean isCancelled() {
        synchronized (fate) {
            return cancelled;
        }
    }

    /** Runs unless it was cancelled, and not while it is being cancelled. */
    void publish(Runnable publication) {
        synchronized (fate) {
            if (!cancelled) {
                publication.run();
            }
        }
    }

    /** Runs when the entry is appended or lost; now if it is already. */
    void afterwards(Runnable action) {
        synchronized (fate) {
            if (!done) {
                afterwards.add(action);
                return;
            }
        }
        action.run();
    }

    void done() {
        synchronized (fate) {
            done = true;
        }
        afterwards.forEach(Runnable::run); // nothing is added any more
    }

    ByteBuffer view() {
        return value.joined().asReadOnlyBuffer();
    }

    long bytes() {
        return Entry.mostBytes(value.length());
    }
}
