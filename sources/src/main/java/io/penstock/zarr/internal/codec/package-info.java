/** The codecs of Zarr v2 and v3, decoding only. */
@NullMarked
package io.penstock.zarr.internal.codec;

import org.jspecify.annotations.NullMarked;
