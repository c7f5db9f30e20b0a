package io.penstock.cache.chronicle;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;

/**
 * A value in the files.
 *
 * @param key      of it
 * @param provenance   where it came from, {@link Provenance#UNKNOWN} if the put did not say
 * @param segment  the file, below the cache's directory
 * @param position of the value in that file
 * @param bytes    of the value
 * @param live     whether it is what a look-up of the key finds
 */
public record KeptEntry(SampleKey key, Provenance provenance, String segment, long position, int bytes, boolean live) {}
