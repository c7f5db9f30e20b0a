/** What every implementation of an extension point is tested by. */
@NullMarked
package io.penstock.kit;

import org.jspecify.annotations.NullMarked;
