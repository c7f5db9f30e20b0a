/** Tables in lines: CSV and JSON lines. */
@NullMarked
package io.penstock.table.internal.delimited;

import org.jspecify.annotations.NullMarked;
