/** Tables in Arrow's IPC files and streams. */
@NullMarked
package io.penstock.table.internal.arrow;

import org.jspecify.annotations.NullMarked;
