/** Datasets of tar shards in WebDataset's layout, over any store. */
@NullMarked
package io.penstock.shard;

import org.jspecify.annotations.NullMarked;
