/** Which samples of a dataset are kept, as numbers: ranges, lists and bits with rank and select. */
@NullMarked
package io.penstock.internal.index;

import org.jspecify.annotations.NullMarked;
