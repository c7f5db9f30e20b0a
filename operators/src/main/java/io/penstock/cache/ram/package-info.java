/** Tiers in memory off the Java heap: one that fills and holds, and one in order of use. */
@NullMarked
package io.penstock.cache.ram;

import org.jspecify.annotations.NullMarked;
