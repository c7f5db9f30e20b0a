/** {@code penstock show}: samples of a source. */
@NullMarked
package io.penstock.cli.show;

import org.jspecify.annotations.NullMarked;
