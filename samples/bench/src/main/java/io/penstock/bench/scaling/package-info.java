/** Experiments on latency, and on sizes up to a billion samples and many ranks. */
@NullMarked
package io.penstock.bench.scaling;

import org.jspecify.annotations.NullMarked;
