/** What benchmarks are, and what several of them measure with. */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
