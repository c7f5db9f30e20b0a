/** {@code penstock fit}: what was in a batch of a run. */
@NullMarked
package io.penstock.cli.fit;

import org.jspecify.annotations.NullMarked;
