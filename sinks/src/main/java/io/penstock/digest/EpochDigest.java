package io.penstock.digest;

import io.penstock.internal.Arguments;
import java.util.Collection;
import java.util.HexFormat;

/**
 * What one epoch of a stream delivered, in two numbers.
 *
 * @param epoch       counted from 0
 * @param samples     how many samples were delivered; those without a value do not count
 * @param orderBits   see {@link #order}
 * @param contentBits see {@link #content}
 */
public record EpochDigest(long epoch, long samples, long orderBits, long contentBits) {

    public EpochDigest {
        Arguments.refuse(epoch < 0 || samples < 0, "digest must not be negative: epoch %d, %d samples", epoch, samples);
    }

    /** A hash of the indices in the order they were delivered, 16 hex digits. */
    public String order() {
        return HexFormat.of().toHexDigits(orderBits);
    }

    /**
     * The sum modulo 2^64 of one hash a sample, of its index and its delivered fields: the same in any order, 16 hex
     * digits.
     */
    public String content() {
        return HexFormat.of().toHexDigits(contentBits);
    }

    /** The {@link #content} of all ranks together: the same at every world size. */
    public static String content(Collection<EpochDigest> ranks) {
        return HexFormat.of()
                .toHexDigits(ranks.stream().mapToLong(EpochDigest::contentBits).sum());
    }
}
