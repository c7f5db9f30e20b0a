/**
 * Samples written to files that others can read: tar shards, arrays, records. A finished file has its final name, an
 * unfinished one never does.
 */
@NullMarked
package io.penstock.write;

import org.jspecify.annotations.NullMarked;
