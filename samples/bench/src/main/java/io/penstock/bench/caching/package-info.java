/** Experiments on what a cache saves: how much it holds, by which policy, near and far. */
@NullMarked
package io.penstock.bench.caching;

import org.jspecify.annotations.NullMarked;
