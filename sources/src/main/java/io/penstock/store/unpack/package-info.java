/** Compressed files, decompressed once into a folder or into memory. */
@NullMarked
package io.penstock.store.unpack;

import org.jspecify.annotations.NullMarked;
