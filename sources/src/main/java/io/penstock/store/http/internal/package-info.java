/** Requests over HTTP: addresses, connections, retries, credentials, and what of an answer is believed. */
@NullMarked
package io.penstock.store.http.internal;

import org.jspecify.annotations.NullMarked;
