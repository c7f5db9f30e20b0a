/** The sources that {@code --source} names, as data sets. */
@NullMarked
package io.penstock.cli.source;

import org.jspecify.annotations.NullMarked;
