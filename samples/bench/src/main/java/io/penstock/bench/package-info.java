/** Benchmarks of every figure the project promises, beside their limits and peers. */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
