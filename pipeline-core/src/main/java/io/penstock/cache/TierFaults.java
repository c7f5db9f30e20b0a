package io.penstock.cache;

import io.penstock.internal.Notice;
import io.penstock.internal.Thrown;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures of the tiers of a cache. A failing tier never fails the stream; each cause is logged once. */
final class TierFaults {

    private static final Logger LOG = LoggerFactory.getLogger(TierFaults.class);
    private static final int MAX_LOGGED = 100;

    private final AtomicLong lost = new AtomicLong();
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /** How many failures may have been faults of memory that was lent before. */
    long lost() {
        return lost.get();
    }

    void report(String tier, Throwable thrown) {
        Throwable e = Thrown.cause(thrown);
        if (e instanceof InternalError) {
            lost.incrementAndGet();
        }
        if (logged.size() < MAX_LOGGED && logged.add(tier + ": " + e)) {
            Notice.warn(LOG, "cache tier \"{}\" failed, going on without it for this sample: {}", tier, e.toString());
        }
    }
}
