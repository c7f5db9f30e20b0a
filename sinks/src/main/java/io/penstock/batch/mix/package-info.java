/** Random functions of whole batches: images mixed with others of their batch, and their labels with them. */
@NullMarked
package io.penstock.batch.mix;

import org.jspecify.annotations.NullMarked;
