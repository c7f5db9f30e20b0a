/** Cache tiers: where samples stay between epochs, and how tiers chain. */
@NullMarked
package io.penstock.cache;

import org.jspecify.annotations.NullMarked;
