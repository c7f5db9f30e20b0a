/** {@code penstock serve} and {@code penstock serve-files}. */
@NullMarked
package io.penstock.cli.serve;

import org.jspecify.annotations.NullMarked;
