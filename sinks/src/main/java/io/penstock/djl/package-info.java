/** Batches as DJL's arrays. */
@NullMarked
package io.penstock.djl;

import org.jspecify.annotations.NullMarked;
