/** The stream of a sampler's draws: samples, delivered in draw order, and how many threads and bytes it may use. */
@NullMarked
package io.penstock.stream;

import org.jspecify.annotations.NullMarked;
