/** Datasets in the shards of MosaicML's streaming. */
@NullMarked
package io.penstock.mds;

import org.jspecify.annotations.NullMarked;
