/** The command line: what {@code ./penstock} runs. */
@NullMarked
package io.penstock.cli;

import org.jspecify.annotations.NullMarked;
