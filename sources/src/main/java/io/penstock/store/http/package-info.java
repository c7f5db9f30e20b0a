/** Stores that are read over HTTP. */
@NullMarked
package io.penstock.store.http;

import org.jspecify.annotations.NullMarked;
