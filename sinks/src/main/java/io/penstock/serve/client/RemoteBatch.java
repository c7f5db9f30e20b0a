package io.penstock.serve.client;

import io.penstock.batch.Batch;

/**
 * A batch that a server made.
 *
 * @param batch  its arrays, on the heap; closing it is optional
 * @param resume the token to go on with once this batch has been used
 */
public record RemoteBatch(Batch batch, String resume) {}
