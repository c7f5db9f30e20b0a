/** A cache tier in Redis or Valkey, shared by all machines of a job or by the processes of one. */
@NullMarked
package io.penstock.cache.redis;

import org.jspecify.annotations.NullMarked;
