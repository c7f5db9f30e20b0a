package io.penstock.duplicate;

import java.util.Arrays;

/** How signatures of a fixed number of bytes are compared, and which are compared at all: those that share a band. */
interface Likeness {

    /** Its name with all that decides the signatures. */
    String words();

    /** Of a signature. */
    int bytes();

    int bands();

    /** The value of a band, and of those near it that are looked up too: 0 is its own. */
    long band(byte[] signatures, int at, int band, int probe);

    int probes();

    boolean alike(byte[] signatures, int at, int other);

    /** All 16 bytes are equal. */
    record Exact() implements Likeness {

        @Override
        public String words() {
            return "exact";
        }

        @Override
        public int bytes() {
            return 2 * Long.BYTES;
        }

        @Override
        public int bands() {
            return 1;
        }

        @Override
        public long band(byte[] signatures, int at, int band, int probe) {
            return folded(signatures, at, Long.BYTES);
        }

        @Override
        public int probes() {
            return 1;
        }

        @Override
        public boolean alike(byte[] signatures, int at, int other) {
            return Arrays.equals(signatures, at, at + bytes(), signatures, other, other + bytes());
        }
    }

    /**
     * The share of equal components estimates the Jaccard similarity, with a deviation of {@code sqrt(s (1 - s) / 128)}.
     * Components are bytes, of which one in 256 is equal by chance. Bands have as many components as find 99.5 % of the pairs
     * at the threshold, {@code 1 - (1 - s^rows)^bands}. An estimate may lie {@link #TOLERANCE} deviations below.
     *
     * @param equal the components that must be equal
     * @param rows  of a band
     * @see <a href="https://infolab.stanford.edu/~ullman/mmds/ch3n.pdf">Leskovec, Rajaraman, Ullman, Mining of Massive
     *     Datasets, 3.4</a>
     */
    record MinHash(double equal, int rows) implements Likeness {

        static final int COMPONENTS = 128;

        private static final double FOUND = 0.995;

        /** Finds 95 % of the pairs above 0.9 where similarities are spread evenly, and more above lower thresholds. */
        private static final double TOLERANCE = 1;

        static MinHash of(double similarity) {
            double least = similarity - TOLERANCE * Math.sqrt(similarity * (1 - similarity) / COMPONENTS);
            int rows = COMPONENTS / 2;
            while (rows > 1 && found(similarity, rows) < FOUND) {
                rows--;
            }
            return new MinHash(COMPONENTS * (least + (1 - least) / 256), rows);
        }

        /** The share of the pairs of a similarity that have a band in common. */
        private static double found(double similarity, int rows) {
            return 1 - Math.pow(1 - Math.pow(similarity, rows), Math.floorDiv(COMPONENTS, rows));
        }

        @Override
        public String words() {
            return "superminhash v1 of %d".formatted(COMPONENTS);
        }

        @Override
        public int bytes() {
            return COMPONENTS;
        }

        @Override
        public int bands() {
            return COMPONENTS / rows;
        }

        @Override
        public long band(byte[] signatures, int at, int band, int probe) {
            return folded(signatures, at + band * rows, rows);
        }

        @Override
        public int probes() {
            return 1;
        }

        @Override
        public boolean alike(byte[] signatures, int at, int other) {
            int same = 0;
            for (int i = 0; i < COMPONENTS; i++) {
                same += signatures[at + i] == signatures[other + i] ? 1 : 0;
            }
            return same >= equal;
        }
    }

    /**
     * The share of equal bits of 128. Of 8 bands of 16 bits one has at most one bit of difference if all have at most 15, so
     * a look at each value that differs in one bit misses no pair of a similarity of 0.89 or more.
     * @see <a href="https://doi.org/10.1145/1242572.1242592">Manku, Jain, Das Sarma, Detecting near-duplicates for web
     *     crawling, WWW 2007</a>
     */
    record Bits(double similarity) implements Likeness {

        static final int BITS = 128;

        @Override
        public String words() {
            return "gradients v1 of %d".formatted(BITS);
        }

        @Override
        public int bytes() {
            return BITS / Byte.SIZE;
        }

        @Override
        public int bands() {
            return bytes() / Short.BYTES;
        }

        @Override
        public long band(byte[] signatures, int at, int band, int probe) {
            int value = signatures[at + 2 * band] & 0xFF | (signatures[at + 2 * band + 1] & 0xFF) << Byte.SIZE;
            return probe == 0 ? value : value ^ 1 << probe - 1;
        }

        @Override
        public int probes() {
            return 1 + Short.SIZE;
        }

        @Override
        public boolean alike(byte[] signatures, int at, int other) {
            int apart = 0;
            for (int i = 0; i < bytes(); i++) {
                apart += Integer.bitCount((signatures[at + i] ^ signatures[other + i]) & 0xFF);
            }
            return apart <= BITS * (1 - similarity) + 1e-9;
        }
    }

    private static long folded(byte[] bytes, int from, int count) {
        long folded = count;
        for (int i = from; i < from + count; i++) {
            folded = (folded ^ bytes[i]) * 0x9E37_79B9_7F4A_7C15L;
            folded ^= folded >>> 29;
        }
        return folded;
    }
}
