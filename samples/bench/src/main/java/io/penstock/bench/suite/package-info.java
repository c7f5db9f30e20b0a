/** The benchmarks: what the documents claim, beside limits and peers. */
@NullMarked
package io.penstock.bench.suite;

import org.jspecify.annotations.NullMarked;
