/** Batches over HTTP, and through shared memory on one machine. */
@NullMarked
package io.penstock.serve;

import org.jspecify.annotations.NullMarked;
