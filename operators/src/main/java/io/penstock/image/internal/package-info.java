/** Arithmetic on rows of pixels, shared by decoding, resizing and augmentation. Not for users. */
@NullMarked
package io.penstock.image.internal;

import org.jspecify.annotations.NullMarked;
