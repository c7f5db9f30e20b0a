package io.penstock.pack;

import io.penstock.tensor.Tensor;

/**
 * Sequences one behind another in a row of n tokens, then padding.
 *
 * @param tokens    of all sequences, {@code [n]} in their own dtype; 0 where padded
 * @param segments  which sequence of the row a token belongs to, {@code i32[n]} from 1 on; 0 where padded
 * @param positions of a token in its sequence, {@code i32[n]} from 0 on, also in a later part of one that was split
 * @param lossMask  which tokens the loss counts: the sequences' own masks, or {@code bool[n]}; 0 where padded
 */
public record PackedRow(Tensor tokens, Tensor segments, Tensor positions, Tensor lossMask) {

    public PackedRow {
        if (tokens.shape().rank() != 1
                || !segments.shape().equals(tokens.shape())
                || !positions.shape().equals(tokens.shape())
                || !lossMask.shape().equals(tokens.shape())) {
            throw new IllegalArgumentException(
                    "a row has as many segments, positions and mask values as tokens, was %s, %s, %s, %s"
                            .formatted(tokens.type(), segments.type(), positions.type(), lossMask.type()));
        }
    }
}
