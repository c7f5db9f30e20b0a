/** {@code penstock materialize}: the deterministic part of a pipeline as a job. */
@NullMarked
package io.penstock.cli.materialize;

import org.jspecify.annotations.NullMarked;
