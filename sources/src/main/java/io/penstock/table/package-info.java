/** Rows of tables: Parquet. */
@NullMarked
package io.penstock.table;

import org.jspecify.annotations.NullMarked;
