/** The exceptions of this library. */
@NullMarked
package io.penstock.fault;

import org.jspecify.annotations.NullMarked;
