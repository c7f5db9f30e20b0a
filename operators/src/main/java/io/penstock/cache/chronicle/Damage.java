package io.penstock.cache.chronicle;

/**
 * A place in the files that is not as it was written.
 *
 * @param segment  the file, below the cache's directory
 * @param position in it, in bytes
 * @param what     is wrong there
 */
public record Damage(String segment, long position, String what) {}
