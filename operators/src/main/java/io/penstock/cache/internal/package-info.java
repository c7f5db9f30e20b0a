/** Mechanisms that the tiers of this module share. Not part of the API: they may change in any version. */
@NullMarked
package io.penstock.cache.internal;

import org.jspecify.annotations.NullMarked;
