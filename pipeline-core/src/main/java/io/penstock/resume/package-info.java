/** Tokens that say where a run goes on. */
@NullMarked
package io.penstock.resume;

import org.jspecify.annotations.NullMarked;
