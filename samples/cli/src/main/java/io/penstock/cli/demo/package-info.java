/** {@code penstock demo}, and the live page that it serves. */
@NullMarked
package io.penstock.cli.demo;

import org.jspecify.annotations.NullMarked;
