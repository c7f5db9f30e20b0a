package io.penstock.store.internal;

import io.penstock.internal.Arguments;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an entry as a stream that can be moved, for code that scans them once. Blocks; for one thread.
 *
 * <p>Reads windows: {@value #SMALLEST} bytes after a move, twice as many as long as it goes on from where it was, up to
 * {@value #LARGEST}, and then the next one ahead. So a scan from front to back has one read under way, and one that
 * jumps from header to header fetches little else. Memory: two windows at most.
 *
 * <p>Fails with a {@link io.penstock.fault.StoreException} where the store does, never with an {@code IOException}.
 */
public final class StoreInput extends InputStream {

    private static final int SMALLEST = 4 * 1024;
    private static final int LARGEST = 1024 * 1024;

    private final Store store;
    private final StoreEntry entry;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowStart;
    private long position;
    private int nextSize = SMALLEST;
    private @Nullable CompletableFuture<ByteBuffer> ahead;

    private StoreInput(Store store, StoreEntry entry) {
        this.store = store;
        this.entry = entry;
    }

    /** The bytes of an entry from the first on. Nothing is read yet. */
    public static StoreInput of(Store store, StoreEntry entry) {
        return new StoreInput(store, entry);
    }

    /** Continues at another offset; at the end and after it there are no bytes. */
    public void seek(long offset) {
        Arguments.refuse(offset < 0, "offset must not be negative: %s", offset);
        position = offset;
    }

    @Override
    public int read() {
        return fill() ? window.get((int) (position++ - windowStart)) & 0xFF : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, into.length);
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int at = (int) (position - windowStart);
        int count = Math.min(length, window.limit() - at);
        window.get(at, into, offset, count);
        position += count;
        return count;
    }

    /**
     * How much is left: the JDK's gzip reader looks for another member only where something is said to be available.
     */
    @Override
    public int available() {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, entry.size() - position));
    }

    @Override
    public long skip(long count) {
        long skipped = Math.max(0, Math.min(count, entry.size() - position));
        position += skipped;
        return skipped;
    }

    /** Whether the window holds the byte at the position now. */
    private boolean fill() {
        long end = windowStart + window.limit();
        if (position >= windowStart && position < end) {
            return true;
        }
        if (position >= entry.size()) {
            return false;
        }
        CompletableFuture<ByteBuffer> next = ahead;
        ahead = null;
        if (position != end) {
            nextSize = SMALLEST;
            if (next != null) {
                next.cancel(true);
                next = null;
            }
        }
        window = Objects.requireNonNull(
                Waiting.on(next == null ? begin(position) : next), "a store always has bytes of an entry");
        windowStart = position;
        if (nextSize == LARGEST && windowStart + window.limit() < entry.size()) {
            ahead = begin(windowStart + window.limit());
        }
        nextSize = Math.min(LARGEST, 2 * nextSize);
        return true;
    }

    private CompletableFuture<ByteBuffer> begin(long offset) {
        int length = (int) Math.min(nextSize, entry.size() - offset);
        return store.read(entry, offset, length).toFuture();
    }

    /** Gives up what is read ahead. */
    @Override
    public void close() {
        if (ahead != null) {
            ahead.cancel(true);
            ahead = null;
        }
    }
}
