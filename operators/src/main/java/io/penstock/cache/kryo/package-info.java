/**
 * Values of any registered class in a cache, through Kryo. Needs {@code com.esotericsoftware.kryo:kryo5} on the class
 * path.
 */
@NullMarked
package io.penstock.cache.kryo;

import org.jspecify.annotations.NullMarked;
