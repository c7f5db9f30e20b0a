/** Batches as Arrow IPC messages, streams and files. */
@NullMarked
package io.penstock.arrow;

import org.jspecify.annotations.NullMarked;
