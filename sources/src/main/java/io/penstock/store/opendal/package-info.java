/** Stores of clouds and servers through Apache OpenDAL. */
@NullMarked
package io.penstock.store.opendal;

import org.jspecify.annotations.NullMarked;
