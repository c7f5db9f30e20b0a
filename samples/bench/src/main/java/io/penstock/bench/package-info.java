/** Benchmarks, and the parts that several of them share. */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
