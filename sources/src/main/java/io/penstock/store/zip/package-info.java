/** A zip file as a store. */
@NullMarked
package io.penstock.store.zip;

import org.jspecify.annotations.NullMarked;
