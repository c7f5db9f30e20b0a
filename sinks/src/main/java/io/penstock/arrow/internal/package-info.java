/** What the messages of a batch say in our own words; no part of the API. */
@NullMarked
package io.penstock.arrow.internal;

import org.jspecify.annotations.NullMarked;
