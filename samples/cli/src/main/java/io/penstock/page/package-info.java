/** Serving a page that watches and steers a program, to browsers on this machine alone. */
@NullMarked
package io.penstock.page;

import org.jspecify.annotations.NullMarked;
