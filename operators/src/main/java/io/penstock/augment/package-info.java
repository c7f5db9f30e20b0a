/** Random transforms that depend on the draw alone. */
@NullMarked
package io.penstock.augment;

import org.jspecify.annotations.NullMarked;
