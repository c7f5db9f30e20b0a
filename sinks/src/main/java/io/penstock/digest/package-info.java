/** Digests of the order and the content of what was delivered. */
@NullMarked
package io.penstock.digest;

import org.jspecify.annotations.NullMarked;
