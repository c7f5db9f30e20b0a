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

    /** Which share of its time the consumer waited for batches. */
    double waiting() {
        double all = counts.waited() + counts.used();
        return all <= 0 ? 0 : counts.waited() / all;
    }

    /** How long the consumer uses a batch. */
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
