package io.penstock.cli.watch;

/**
 * What one process did in the last seconds.
 *
 * @param name    of the process, for people
 * @param seconds how long the window is
 * @param counts  of the window
 */
record RankWindow(String name, double seconds, RankCounts counts) {

    double batchesPerSecond() {
        return counts.batches() / seconds;
    }

    double loadsPerSecond() {
        return counts.loads() / seconds;
    }

    /** Whether it made batches that were asked for one by one, as one of several servers does. */
    boolean isServer() {
        return counts.making() > 0;
    }

    /** How long such a batch took; one that is not there yet counts. */
    double millisOfMaking() {
        return counts.making() * 1e3 / Math.max(1, counts.made());
    }

    /** Whether it had a consumer that takes all batches, whose waits are known. */
    boolean hasWaits() {
        return counts.waited() + counts.used() > 0;
    }

    /** Which share of its time the consumer waited for batches. */
    double waiting() {
        return hasWaits() ? counts.waited() / (counts.waited() + counts.used()) : 0;
    }

    double millisOfUse() {
        return counts.batches() <= 0 ? 0 : counts.used() * 1e3 / counts.batches();
    }

    boolean isCached() {
        return counts.hits() + counts.misses() > 0;
    }

    /** Which share of look-ups no tier answered; 1 without a cache. */
    double missing() {
        return isCached() ? counts.misses() / (counts.hits() + counts.misses()) : 1;
    }
}
