/** Which requests a server answers; no part of the API. */
@NullMarked
package io.penstock.serve.internal;

import org.jspecify.annotations.NullMarked;
