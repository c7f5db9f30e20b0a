package io.penstock.bench.torture;

import java.util.Locale;

/** What is done to a job. */
enum Harm {
    KILLED,
    TERMINATED,
    STOPPED,
    OUT_OF_MEMORY,
    BITS_FLIPPED,
    FILES_CUT,
    FILES_REPLACED,
    DISKS_FILLED,
    REDIS_KILLED,
    REDIS_POISONED;

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
