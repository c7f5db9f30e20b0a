/** Samples that are equal or nearly so, and datasets without them. */
@NullMarked
package io.penstock.duplicate;

import org.jspecify.annotations.NullMarked;
