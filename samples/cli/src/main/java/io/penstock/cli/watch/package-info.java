/** {@code penstock watch}: all ranks and servers of a job together, and the one that holds the others up. */
@NullMarked
package io.penstock.cli.watch;

import org.jspecify.annotations.NullMarked;
