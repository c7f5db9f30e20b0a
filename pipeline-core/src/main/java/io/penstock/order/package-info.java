/** Order as arithmetic: which sample is drawn where, from a seed, an epoch and a rank. Depends on the JDK alone. */
@NullMarked
package io.penstock.order;

import org.jspecify.annotations.NullMarked;
