/** Experiments of earlier systems, repeated: what a cache saves, how much it holds, and how it scales. */
@NullMarked
package io.penstock.bench.experiment;

import org.jspecify.annotations.NullMarked;
