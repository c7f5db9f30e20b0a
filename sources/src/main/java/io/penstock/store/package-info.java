/** Bytes at rest, by key and range: what sources read from, wherever it lies. */
@NullMarked
package io.penstock.store;

import org.jspecify.annotations.NullMarked;
