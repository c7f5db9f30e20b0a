package io.penstock.cache;

import io.penstock.order.internal.Mixing;

/**
 * What a cache knows a sample by: 128 bits over the sample's own name and state and every stage it went through, but not
 * its index. Removing a file from a folder changes no other file's key.
 *
 * @param high the first half
 * @param low  the second half
 */
public record SampleKey(long high, long low) {

    /** The key of a sample that is named by words, such as a path, a size and a modification time. */
    public static SampleKey of(String... words) {
        return of(Fingerprint.of(words));
    }

    /** The key of a sample whose whole state is this fingerprint. */
    public static SampleKey of(Fingerprint fingerprint) {
        return new SampleKey(fingerprint.high(), fingerprint.low());
    }

    /** The key of a numbered part: record 17 of a file, row 4 of an array. */
    public SampleKey with(long number) {
        return new SampleKey(Mixing.fold(high, number), Mixing.fold(low, ~number));
    }

    /** The key behind further stages. */
    public SampleKey with(Fingerprint stages) {
        return new SampleKey(Mixing.fold(high, stages.high()), Mixing.fold(low, stages.low()));
    }

    /** The key of two samples together; the order matters. */
    public SampleKey with(SampleKey other) {
        return new SampleKey(Mixing.fold(high, other.high), Mixing.fold(low, other.low));
    }

    /** Its 32 hexadecimal digits. */
    @Override
    public String toString() {
        return "%016x%016x".formatted(high, low);
    }
}
