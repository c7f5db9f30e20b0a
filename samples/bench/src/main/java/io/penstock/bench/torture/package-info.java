/** Jobs whose processes are killed and whose caches are damaged at random, with every delivered byte checked. */
@NullMarked
package io.penstock.bench.torture;

import org.jspecify.annotations.NullMarked;
