/** Zarr arrays, v2 and v3, over any store: rows, windows and chunks as datasets. */
@NullMarked
package io.penstock.zarr;

import org.jspecify.annotations.NullMarked;
