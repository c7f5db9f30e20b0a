/**
 * The batches of servers, for a consumer in another JVM. They come from one server or from several of the same plan.
 */
@NullMarked
package io.penstock.serve.client;

import org.jspecify.annotations.NullMarked;
