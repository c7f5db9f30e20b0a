package io.penstock.cache.chronicle;

/**
 * What a file of the log holds.
 *
 * @param name      of the file, below the cache's directory
 * @param entries   values that were written to it
 * @param live      of them that can be found
 * @param liveBytes of those, headers included
 * @param deadBytes of values that were forgotten or written again
 * @param damaged   places where something else was found than what was written
 */
public record SegmentReport(String name, long entries, long live, long liveBytes, long deadBytes, long damaged) {}
