/** Sequences of varying lengths: packed into rows of one length, or grouped into batches of about one size. */
@NullMarked
package io.penstock.pack;

import org.jspecify.annotations.NullMarked;
