/**
 * A cache of fixed-size samples in memory that all processes of a machine share, seen as slots, as one tensor, or as a
 * tier.
 */
@NullMarked
package io.penstock.cache.slot;

import org.jspecify.annotations.NullMarked;
