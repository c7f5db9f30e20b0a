/** What batches are stacked in: slots of memory, copied into row by row and lent; no part of the API. */
@NullMarked
package io.penstock.batch.internal;

import org.jspecify.annotations.NullMarked;
