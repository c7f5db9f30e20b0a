package io.penstock.zarr.internal.element;

/**
 * The elements of a chunk in C order while it is decoded: numbers little-endian and side by side, or texts one by one.
 */
public sealed interface Cells {

    /** The same elements in another order: element i is this one's {@code sources[i]}. */
    Cells permuted(int[] sources);

    final class Fixed implements Cells {

        private final byte[] bytes;
        private final int width;

        public Fixed(byte[] bytes, int width) {
            this.bytes = bytes;
            this.width = width;
        }

        public byte[] bytes() {
            return bytes;
        }

        @Override
        public Cells permuted(int[] sources) {
            byte[] to = new byte[bytes.length];
            for (int i = 0; i < sources.length; i++) {
                int from = sources[i] * width;
                int at = i * width;
                if (width <= Long.BYTES) {
                    for (int b = 0; b < width; b++) {
                        to[at + b] = bytes[from + b];
                    }
                } else {
                    System.arraycopy(bytes, from, to, at, width);
                }
            }
            return new Fixed(to, width);
        }
    }

    final class Texts implements Cells {

        private final byte[][] texts;

        public Texts(byte[][] texts) {
            this.texts = texts;
        }

        byte[][] texts() {
            return texts;
        }

        @Override
        public Cells permuted(int[] sources) {
            byte[][] to = new byte[texts.length][];
            for (int i = 0; i < sources.length; i++) {
                to[i] = texts[sources[i]];
            }
            return new Texts(to);
        }
    }
}
