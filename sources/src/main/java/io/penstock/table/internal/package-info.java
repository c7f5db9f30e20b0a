/** What the formats of tables share. */
@NullMarked
package io.penstock.table.internal;

import org.jspecify.annotations.NullMarked;
