/** Collation of samples into batches of direct memory. */
@NullMarked
package io.penstock.batch;

import org.jspecify.annotations.NullMarked;
