/** The server that the processes of a node share: its start, its users and its end. Not part of the API. */
@NullMarked
package io.penstock.cache.redis.internal;

import org.jspecify.annotations.NullMarked;
