/**
 * Batches over HTTP, and through shared memory on one machine.
 *
 * <p>There are two ways to a consumer. {@code /batches} is an Arrow stream for other machines and for tools that read
 * Arrow. {@code /shared} gives places in a file that a consumer on this machine maps, without a copy. Its messages are
 * answers to requests, and stand in a {@link io.penstock.serve.BatchRing} too if the consumer wants one.
 */
@NullMarked
package io.penstock.serve;

import org.jspecify.annotations.NullMarked;
