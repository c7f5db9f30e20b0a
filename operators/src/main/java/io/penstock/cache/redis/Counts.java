package io.penstock.cache.redis;

import io.penstock.internal.Notice;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counters of a tier since it was opened. Each kind of trouble is logged once. */
final class Counts {

    private static final Logger LOG = LoggerFactory.getLogger(Counts.class);

    final LongAdder hits = new LongAdder();
    final LongAdder misses = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder errors = new LongAdder();
    private final AtomicBoolean toldDamage = new AtomicBoolean();
    private final AtomicBoolean toldTooLarge = new AtomicBoolean();
    private final AtomicBoolean toldFull = new AtomicBoolean();

    void failed(Throwable e) {
        errors.increment();
        LOG.debug("a command of the redis cache failed: {}", Endpoint.reason(e));
    }

    void damaged(byte[] name) {
        errors.increment();
        if (toldDamage.compareAndSet(false, true)) {
            Notice.warn(
                    LOG,
                    "what the redis cache has under {} is not what was put there; it is removed and loaded again, as"
                            + " are others like it",
                    new String(name, StandardCharsets.US_ASCII));
        }
    }

    void tooLarge(int bytes, int max) {
        refused.increment();
        if (toldTooLarge.compareAndSet(false, true)) {
            Notice.warn(
                    LOG,
                    "the redis cache takes values of at most {} bytes, and refuses those that are larger, such as one of {}",
                    max,
                    bytes);
        }
    }

    void full() {
        if (toldFull.compareAndSet(false, true)) {
            LOG.info("the redis cache is full; it keeps what it has");
        }
    }
}
