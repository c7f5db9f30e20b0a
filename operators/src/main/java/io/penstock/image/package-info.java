/** Deterministic image preprocessing: decoding and resizing. */
@NullMarked
package io.penstock.image;

import org.jspecify.annotations.NullMarked;
