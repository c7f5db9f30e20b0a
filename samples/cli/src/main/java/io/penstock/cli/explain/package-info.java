/** {@code penstock explain}: what was in a batch of a run. */
@NullMarked
package io.penstock.cli.explain;

import org.jspecify.annotations.NullMarked;
