/** Datasets of fixed-size records in a file. */
@NullMarked
package io.penstock.records;

import org.jspecify.annotations.NullMarked;
