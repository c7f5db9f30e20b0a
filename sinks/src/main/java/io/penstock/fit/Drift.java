package io.penstock.fit;

/**
 * How far a field of one dataset is from that of another.
 *
 * @param field    its name
 * @param distance in [0, 1]: of numbers the largest difference of the shares up to any value (Kolmogorov–Smirnov, by
 *                 percentiles, so in steps of 1 %), of texts the largest difference of a class's share, 1 for a field that
 *                 one dataset lacks
 * @param missing  the difference of the shares of missing values
 * @param words    what differs most
 */
public record Drift(String field, double distance, double missing, String words) {}
