/**
 * How a file comes into being under its name, and what a folder of shards is made of. Not part of the API: it may change in
 * any version.
 */
@NullMarked
package io.penstock.write.internal;

import org.jspecify.annotations.NullMarked;
