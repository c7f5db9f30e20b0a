/** Mechanisms that the modules share. Not part of the API: they may change in any version. */
@NullMarked
package io.penstock.internal;

import org.jspecify.annotations.NullMarked;
