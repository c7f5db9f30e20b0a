/** Bytes that are read over HTTP, and a server of a directory to try it with. */
@NullMarked
package io.penstock.store.http;

import org.jspecify.annotations.NullMarked;
