/** The benchmarks of docs/performance.md: the framework beside its limits and peers. */
@NullMarked
package io.penstock.bench.suite;

import org.jspecify.annotations.NullMarked;
