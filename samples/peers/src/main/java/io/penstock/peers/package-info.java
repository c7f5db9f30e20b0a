/** Benchmarks that run other engines beside Penstock. */
@NullMarked
package io.penstock.peers;

import org.jspecify.annotations.NullMarked;
