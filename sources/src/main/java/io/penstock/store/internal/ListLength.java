package io.penstock.store.internal;

import io.penstock.fault.StoreException;
import java.time.Duration;
import java.util.Collection;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what is listed: bounds it by the memory that it takes, and tells every 10 s how far the list is. */
public final class ListLength {

    private static final Logger LOG = LoggerFactory.getLogger(ListLength.class);
    private static final long EVERY = Duration.ofSeconds(10).toNanos();
    private static final int OF_AN_OBJECT = 96; // bytes besides its key, in what a source keeps of a list

    private final String where;
    private final long maxBytes;
    private final LongSupplier nanoTime;
    private long objects;
    private long bytes;
    private long told;

    public ListLength(String where, long maxBytes, LongSupplier nanoTime) {
        this.where = where;
        this.maxBytes = maxBytes;
        this.nanoTime = nanoTime;
        this.told = nanoTime.getAsLong();
    }

    /** A list that may take half of the memory. */
    public static ListLength of(String where) {
        return new ListLength(where, Runtime.getRuntime().maxMemory() / 2, System::nanoTime);
    }

    /**
     * Counts objects by their keys, as they come.
     * @throws StoreException if all until now take more than they may
     */
    public void add(Collection<String> keys) {
        String last = null;
        for (String key : keys) {
            bytes += OF_AN_OBJECT + key.length();
            last = key;
        }
        objects += keys.size();
        if (bytes > maxBytes) {
            throw new StoreException(
                    ("cannot list %s: %,d objects, and there are more; a list may take %,d MiB, half of the "
                                    + "memory; name a longer prefix, or give the program more memory with -Xmx")
                            .formatted(where, objects, maxBytes >> 20));
        }
        long now = nanoTime.getAsLong();
        if (now - told >= EVERY) {
            told = now;
            LOG.info("listing {}: {} objects so far{}", where, objects, last == null ? "" : ", at " + last);
        }
    }
}
