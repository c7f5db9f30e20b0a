/** What commands print on standard output and standard error, and how a signal ends them. */
@NullMarked
package io.penstock.cli.console;

import org.jspecify.annotations.NullMarked;
