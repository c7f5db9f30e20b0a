/** Datasets of the files that a manifest names, over HTTP or any other store. */
@NullMarked
package io.penstock.manifest;

import org.jspecify.annotations.NullMarked;
