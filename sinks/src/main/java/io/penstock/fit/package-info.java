/** Statistics of a dataset, found in one pass, and the stages that use them. */
@NullMarked
package io.penstock.fit;

import org.jspecify.annotations.NullMarked;
