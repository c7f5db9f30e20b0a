package io.penstock.augment;

import io.penstock.pipeline.RandomTransform;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * Turns bytes into floats of mean 0 and deviation 1: {@code (value / 255 − mean) / deviation}, a channel at a time.
 *
 * <p>Shapes: {@code u8[h, w, c]} becomes {@code f32[h, w, c]}, or {@code f32[c, h, w]}: {@link #channelsFirst}. It is
 * deterministic, so it is also a function for
 * {@code map}; as the last step of an {@link Augment} it needs no pass of its own. Each of the 256 values is computed
 * once, in double precision.
 */
public final class Normalise implements UnaryOperator<Tensor>, RandomTransform<Tensor> {

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final double[] mean;
    private final double[] deviation;
    private final boolean planes;
    private final int[][] tables; // a channel's 256 values as the bits of floats

    private Normalise(double[] mean, double[] deviation, boolean planes) {
        this.mean = mean;
        this.deviation = deviation;
        this.planes = planes;
        this.tables = new int[mean.length][256];
        for (int channel = 0; channel < mean.length; channel++) {
            for (int value = 0; value < 256; value++) {
                double normal = (value / 255.0 - mean[channel]) / deviation[channel];
                tables[channel][value] = Float.floatToIntBits((float) normal);
            }
        }
    }

    /**
     * By the mean and standard deviation of each channel, of values in [0, 1]; one of each applies to all channels.
     * @throws IllegalArgumentException if there are none, their numbers differ, or a deviation is not positive
     */
    public static Normalise of(double[] mean, double[] deviation) {
        if (mean.length == 0 || mean.length != deviation.length) {
            throw new IllegalArgumentException(
                    "normalisation needs a mean and a deviation for each channel, has %d and %d"
                            .formatted(mean.length, deviation.length));
        }
        for (int channel = 0; channel < mean.length; channel++) {
            if (!Double.isFinite(mean[channel]) || !(deviation[channel] > 0 && Double.isFinite(deviation[channel]))) {
                throw new IllegalArgumentException(
                        "channel %d needs a finite mean and a deviation above 0, has %s and %s"
                                .formatted(channel, mean[channel], deviation[channel]));
            }
        }
        return new Normalise(mean.clone(), deviation.clone(), false);
    }

    /** By the statistics of ImageNet's red, green and blue, as published models expect. */
    public static Normalise imageNet() {
        return new Normalise(new double[] {0.485, 0.456, 0.406}, new double[] {0.229, 0.224, 0.225}, false);
    }

    /**
     * The same, as {@code f32[c, h, w]}: each channel's floats are written where they are to lie, so a batch copies
     * them as
     * they are. Its {@link #name} is the same.
     */
    public Normalise channelsFirst() {
        return new Normalise(mean, deviation, true);
    }

    boolean planes() {
        return planes;
    }

    /**
     * The normalised image.
     * @throws IllegalArgumentException if it is not {@code u8[h, w, c]} with as many channels as there are means
     */
    @Override
    public Tensor apply(Tensor image) {
        require(image);
        return new Pass(CroppedRows.whole(image)).normalised(this).run();
    }

    /** The same; draws nothing. */
    @Override
    public Tensor apply(Tensor image, RandomGenerator random) {
        return apply(image);
    }

    void require(Tensor image) {
        Image size = Image.of(image.shape());
        if (image.dtype() != DType.U8) {
            throw new IllegalArgumentException(
                    "cannot normalise %s; it takes u8, so do it once and last".formatted(image.type()));
        }
        if (tables.length != 1 && tables.length != size.channels()) {
            throw new IllegalArgumentException("cannot normalise %s; there are %d means, one for each channel"
                    .formatted(image.type(), tables.length));
        }
    }

    /** Replaces a row of bytes by floats that end at the same index. */
    void row(byte[] row, int from, int length) {
        int to = from + length;
        int at = to - length * Float.BYTES;
        if (tables.length == 3) {
            triples(row, from, to, at);
            return;
        }
        for (int i = from, channel = 0; i < to; i++, at += Float.BYTES) {
            INTS.set(row, at, tables[channel][row[i] & 0xFF]);
            channel = channel + 1 == tables.length ? 0 : channel + 1;
        }
    }

    private void triples(byte[] row, int from, int to, int start) {
        int[] red = tables[0];
        int[] green = tables[1];
        int[] blue = tables[2];
        for (int i = from, at = start; i < to; i += 3, at += 12) {
            // all three are read first: the last floats of a row overlap its last bytes
            int r = red[row[i] & 0xFF];
            int g = green[row[i + 1] & 0xFF];
            int b = blue[row[i + 2] & 0xFF];
            INTS.set(row, at, r);
            INTS.set(row, at + 4, g);
            INTS.set(row, at + 8, b);
        }
    }

    /** Writes a row of bytes to each channel's plane of floats; {@code at} is the row's place in the first one. */
    void row(byte[] row, int from, int length, byte[] floats, int at, int channels) {
        int planeBytes = floats.length / channels;
        if (tables.length == 3) {
            int[] red = tables[0];
            int[] green = tables[1];
            int[] blue = tables[2];
            for (int i = from, to = at; i < from + length; i += 3, to += Float.BYTES) {
                INTS.set(floats, to, red[row[i] & 0xFF]);
                INTS.set(floats, to + planeBytes, green[row[i + 1] & 0xFF]);
                INTS.set(floats, to + 2 * planeBytes, blue[row[i + 2] & 0xFF]);
            }
            return;
        }
        for (int channel = 0; channel < channels; channel++) {
            int[] table = tables[tables.length == 1 ? 0 : channel];
            int to = at + channel * planeBytes;
            for (int i = from + channel; i < from + length; i += channels, to += Float.BYTES) {
                INTS.set(floats, to, table[row[i] & 0xFF]);
            }
        }
    }

    /** The statistics, in the form that {@link AugmentSpec} reads. */
    public String name() {
        return "normalise=" + AugmentWord.text(mean, "/") + ":" + AugmentWord.text(deviation, "/");
    }

    @Override
    public String toString() {
        return name();
    }
}
