/** Shards that size themselves from the room that a cache has. */
@NullMarked
package io.penstock.cache.lazy;

import org.jspecify.annotations.NullMarked;
