/** The ordered merge that a stream is. Not part of the API: it may change in any version. */
@NullMarked
package io.penstock.stream.internal;

import org.jspecify.annotations.NullMarked;
