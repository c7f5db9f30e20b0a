package io.penstock.cache.form;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;

/**
 * How the bytes of a tensor are sorted before they are compressed. Each channel is a plane. In a picture, bytes of two or
 * more axes, each row is the difference to the row above; of three channels, the first and the last are differences to the
 * one between. Of elements of several bytes, the first bytes are one plane, and so on.
 *
 * <p>The loops that add and subtract are over different arrays: C2 vectorises these, and not a loop within one array,
 * which takes three times as long.
 *
 * @param rows     of a plane
 * @param columns  of a row
 * @param channels bytes that lie beside each other and belong to different planes
 */
record Planes(int rows, int columns, int channels) {

    private static final int GREEN = 1;
    private static final int BLUE = 2;
    private static final int COLOURS = 3;
    private static final int MAX_CHANNELS = 4;

    /** The planes of a tensor's type. */
    static Planes of(Tensor tensor) {
        Shape shape = tensor.shape();
        int bytes = tensor.byteSize();
        int width = tensor.dtype().bytes();
        int rank = shape.rank();
        if (bytes == 0 || width > 1 || rank < 2) {
            return new Planes(1, bytes / width, width);
        }
        long last = shape.dim(rank - 1);
        boolean hasChannels = rank > 2 && last <= MAX_CHANNELS;
        int channels = hasChannels ? (int) last : 1;
        int columns = (int) (hasChannels ? shape.dim(rank - 2) : last);
        return new Planes(bytes / (columns * channels), columns, channels);
    }

    /** Sorts the elements that begin at a place of an array into the same place of another one. */
    void split(byte[] from, byte[] planes, int at) {
        byte[][] above = new byte[channels][columns];
        byte[][] row = new byte[channels][columns];
        for (int y = 0; y < rows; y++) {
            for (int channel = 0; channel < channels; channel++) {
                copy(from, at + y * columns * channels + channel, channels, row[channel], 0, 1);
            }
            if (channels == COLOURS) {
                difference(row[0], row[GREEN], row[0], 0);
                difference(row[BLUE], row[GREEN], row[BLUE], 0);
            }
            for (int channel = 0; channel < channels; channel++) {
                difference(row[channel], above[channel], planes, at + (channel * rows + y) * columns);
            }
            byte[][] next = above;
            above = row;
            row = next;
        }
    }

    /** The opposite of {@link #split}. */
    void join(byte[] planes, byte[] to, int at) {
        byte[][] above = new byte[channels][columns];
        byte[][] row = new byte[channels][columns];
        for (int y = 0; y < rows; y++) {
            int pixel = at + y * columns * channels;
            for (int channel = 0; channel < channels; channel++) {
                sum(above[channel], planes, at + (channel * rows + y) * columns, row[channel]);
            }
            if (channels == COLOURS) {
                put(row[0], row[GREEN], row[BLUE], to, pixel);
            } else {
                for (int channel = 0; channel < channels; channel++) {
                    copy(row[channel], 0, 1, to, pixel + channel, channels);
                }
            }
            byte[][] next = above;
            above = row;
            row = next;
        }
    }

    private void copy(byte[] from, int at, int step, byte[] to, int toAt, int toStep) {
        for (int x = 0; x < columns; x++) {
            to[toAt + x * toStep] = from[at + x * step];
        }
    }

    private void put(byte[] red, byte[] green, byte[] blue, byte[] to, int at) {
        for (int x = 0; x < columns; x++) {
            byte middle = green[x];
            int pixel = at + COLOURS * x;
            to[pixel] = (byte) (red[x] + middle);
            to[pixel + GREEN] = middle;
            to[pixel + BLUE] = (byte) (blue[x] + middle);
        }
    }

    private void difference(byte[] row, byte[] other, byte[] to, int at) {
        for (int x = 0; x < columns; x++) {
            to[at + x] = (byte) (row[x] - other[x]);
        }
    }

    private void sum(byte[] above, byte[] differences, int at, byte[] row) {
        for (int x = 0; x < columns; x++) {
            row[x] = (byte) (above[x] + differences[at + x]);
        }
    }
}
