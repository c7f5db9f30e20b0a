package io.penstock.store.http.internal;

import java.nio.ByteBuffer;

/**
 * The answer to a {@link Submission}.
 *
 * @param code of an error that was expected; empty for success
 * @param etag the entity tag with its quotes; empty if the answer has none
 * @param body at most 1 MiB
 */
public record Submitted(String code, String etag, ByteBuffer body) {}
