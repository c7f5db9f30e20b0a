/**
 * The log of the disk cache: its files and segments, who writes, scans, follows and recovers them, and the index of the
 * values in them. Not part of the API.
 */
@NullMarked
package io.penstock.cache.chronicle.internal;

import org.jspecify.annotations.NullMarked;
