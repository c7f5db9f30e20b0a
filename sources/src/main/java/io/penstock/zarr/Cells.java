package io.penstock.zarr;

/** The elements of a chunk in C order while it is decoded: numbers little-endian and side by side, or texts one by one. */
sealed interface Cells {

    record Fixed(byte[] bytes, int width) implements Cells {
        @Override
        public Cells permuted(int[] sources) {
            byte[] to = new byte[bytes.length];
            if (width == 4 || width == 8 || width == 2 || width == 1) {
                permutePlain(to, sources);
            } else {
                for (int i = 0; i < sources.length; i++) {
                    System.arraycopy(bytes, sources[i] * width, to, i * width, width);
                }
            }
            return new Fixed(to, width);
        }

        private void permutePlain(byte[] to, int[] sources) {
            for (int i = 0; i < sources.length; i++) {
                int from = sources[i] * width;
                int at = i * width;
                for (int b = 0; b < width; b++) {
                    to[at + b] = bytes[from + b];
                }
            }
        }
    }

    record Texts(byte[][] texts) implements Cells {
        @Override
        public Cells permuted(int[] sources) {
            byte[][] to = new byte[texts.length][];
            for (int i = 0; i < sources.length; i++) {
                to[i] = texts[sources[i]];
            }
            return new Texts(to);
        }
    }

    /** The same elements in another order: element i is this one's {@code sources[i]}. */
    Cells permuted(int[] sources);
}
