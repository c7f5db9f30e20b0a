/** {@code penstock fit}: statistics of the fields of a source. */
@NullMarked
package io.penstock.cli.fit;

import org.jspecify.annotations.NullMarked;
