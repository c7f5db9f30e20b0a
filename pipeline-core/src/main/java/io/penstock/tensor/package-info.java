/** Immutable n-dimensional arrays over bytes, and how values are laid out as them; needs the JDK only. */
@NullMarked
package io.penstock.tensor;

import org.jspecify.annotations.NullMarked;
