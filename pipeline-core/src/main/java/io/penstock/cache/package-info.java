/**
 * A {@link io.penstock.cache.Cache} is a list of tiers. A {@link io.penstock.cache.Tier} only keeps bytes; the cache decides
 * where they go, loads what is missing once, and takes failures for misses.
 *
 * <p>Nothing wraps a tier. A wrapper hides what only some tiers can do, such as leases, and changes what a cache does when it
 * forgets to forward a method. So metrics observe the calls of a cache ({@link io.penstock.cache.TierObserver}) instead.
 */
@NullMarked
package io.penstock.cache;

import org.jspecify.annotations.NullMarked;
