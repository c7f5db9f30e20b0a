/** The persisted cache tier: Chronicle Queue as a log whose values are found by file position. */
@NullMarked
package io.penstock.cache.chronicle;

import org.jspecify.annotations.NullMarked;
