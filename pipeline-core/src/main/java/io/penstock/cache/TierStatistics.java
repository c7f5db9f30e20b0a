package io.penstock.cache;

/**
 * How full a tier is and how it was used since it was opened.
 *
 * @param samples  held now
 * @param bytes    held now, what is kept beside the values included
 * @param capacity in bytes
 * @param hits     answered with bytes
 * @param misses   answered with nothing
 * @param refused  puts that did not fit
 * @param evicted  values given up for others
 * @param errors   values found damaged, and reads and writes that failed
 */
public record TierStatistics(
        long samples, long bytes, long capacity, long hits, long misses, long refused, long evicted, long errors) {}
