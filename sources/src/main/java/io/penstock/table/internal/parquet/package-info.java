/** Parquet's row groups as columns. */
@NullMarked
package io.penstock.table.internal.parquet;

import org.jspecify.annotations.NullMarked;
