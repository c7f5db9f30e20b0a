/** The elements of Zarr chunks: their types, their layout, and regions of them. */
@NullMarked
package io.penstock.zarr.internal.element;

import org.jspecify.annotations.NullMarked;
