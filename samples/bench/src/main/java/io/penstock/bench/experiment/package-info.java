/** Experiments: trials that are measured in turn, kept in a file, and drawn in charts beside the theory. */
@NullMarked
package io.penstock.bench.experiment;

import org.jspecify.annotations.NullMarked;
