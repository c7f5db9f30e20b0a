/** The values of flags, and the flags that several commands have. */
@NullMarked
package io.penstock.cli.flag;

import org.jspecify.annotations.NullMarked;
