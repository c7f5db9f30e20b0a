/** A cache is a chain of tiers: keys, tiers, single flight, placement and provenance. */
@NullMarked
package io.penstock.cache;

import org.jspecify.annotations.NullMarked;
