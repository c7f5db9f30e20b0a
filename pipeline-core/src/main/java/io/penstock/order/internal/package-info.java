/** Mixing of numbers into random bits. No part of the API. */
@NullMarked
package io.penstock.order.internal;

import org.jspecify.annotations.NullMarked;
