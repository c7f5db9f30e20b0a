package io.penstock.cache;

import io.penstock.internal.Thrown;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures of tiers, whatever was thrown: each is a miss or a refusal, and each cause is logged once. */
public final class TierFaults {

    private static final Logger LOG = LoggerFactory.getLogger(TierFaults.class);
    private static final int CAUSES_LOGGED = 100;

    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    public void report(Tier tier, Throwable thrown) {
        Throwable e = Thrown.cause(thrown);
        String cause = tier.name() + ": " + e;
        if (logged.size() < CAUSES_LOGGED && logged.add(cause)) {
            LOG.warn("cache tier \"{}\" failed, going on without it for this sample: {}", tier.name(), e.toString());
        }
    }
}
