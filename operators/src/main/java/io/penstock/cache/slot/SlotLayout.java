package io.penstock.cache.slot;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;

/**
 * The layout of a file of slots: a number of samples of one dtype and shape.
 *
 * @param samples in the data set, from 1 on; a file may hold the first of them only
 * @param dtype   of every sample
 * @param shape   of every sample; 1 byte to 1 GiB
 */
record SlotLayout(long samples, DType dtype, Shape shape) {

    static final int MAX_RANK = 32;
    private static final long MAX_SAMPLE_BYTES = 1L << 30;
    private static final long MAX_SAMPLES = 1L << 40;

    SlotLayout {
        if (samples < 1 || samples > MAX_SAMPLES) {
            throw new IllegalArgumentException("slots need 1 to %d samples, was %d".formatted(MAX_SAMPLES, samples));
        }
        long elements = shape.elements();
        if (elements < 1 || elements > MAX_SAMPLE_BYTES / dtype.bytes() || shape.rank() > MAX_RANK) {
            throw new IllegalArgumentException("a sample in a slot has 1 byte to 1 GiB and at most %d axes, was %s%s"
                    .formatted(MAX_RANK, dtype, shape));
        }
    }

    /** Samples of a dtype and axis lengths. */
    static SlotLayout of(long samples, DType dtype, long... dims) {
        return new SlotLayout(samples, dtype, Shape.of(dims));
    }

    /** The size of one sample, in bytes. */
    int sampleBytes() {
        return (int) shape.elements() * dtype.bytes();
    }

    @Override
    public String toString() {
        return samples + " x " + dtype + shape;
    }
}
