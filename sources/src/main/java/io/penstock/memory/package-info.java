/** Datasets whose samples are values in memory. */
@NullMarked
package io.penstock.memory;

import org.jspecify.annotations.NullMarked;
