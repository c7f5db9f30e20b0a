package io.penstock.duplicate;

/**
 * How signatures of a fixed number of bytes are compared, and which are compared at all: those that share a band.
 *
 * @param words  its name with all that decides the signatures
 * @param bytes  of a signature
 * @param probes how many values of a band are looked up: its own, and those near it
 */
record Likeness(String words, int bytes, int bands, int probes, Band band, Alike alike) {

    /** The components of a MinHash, which are bytes. */
    static final int COMPONENTS = 128;

    /** The bits of a picture's gradients. */
    static final int BITS = 128;

    private static final double FOUND = 0.995;

    /** Finds 95 % of the pairs above 0.9 where similarities are spread evenly, and more above lower thresholds. */
    private static final double TOLERANCE = 1;

    /** The value of a band, and of those near it that are looked up too: 0 is its own. */
    @FunctionalInterface
    interface Band {
        long value(byte[] signatures, int at, int band, int probe);
    }

    /** Whether two signatures are alike. */
    @FunctionalInterface
    interface Alike {
        boolean test(byte[] signatures, int at, int other);
    }

    /** All 16 bytes are equal. */
    static Likeness exact() {
        return ofBytes("exact", 2 * Long.BYTES, 1, Long.BYTES, 2 * Long.BYTES);
    }

    /** At least this many bytes are equal. A band is a row of neighbours. */
    private static Likeness ofBytes(String words, int bytes, int bands, int row, double equal) {
        return new Likeness(
                words,
                bytes,
                bands,
                1,
                (signatures, at, band, probe) -> folded(signatures, at + band * row, row),
                (signatures, at, other) -> {
                    int same = 0;
                    for (int i = 0; i < bytes; i++) {
                        same += signatures[at + i] == signatures[other + i] ? 1 : 0;
                    }
                    return same >= equal;
                });
    }

    /**
     * The share of equal components estimates the Jaccard similarity, with a deviation of {@code sqrt(s (1 - s) / 128)}.
     * Components are bytes, of which one in 256 is equal by chance. Bands have as many components as find 99.5 % of the pairs
     * at the threshold, {@code 1 - (1 - s^rows)^bands}. An estimate may lie {@link #TOLERANCE} deviations below.
     * @see <a href="https://infolab.stanford.edu/~ullman/mmds/ch3n.pdf">Leskovec, Rajaraman, Ullman, Mining of Massive
     *     Datasets, 3.4</a>
     */
    static Likeness ofMinHashes(double similarity) {
        double least = similarity - TOLERANCE * Math.sqrt(similarity * (1 - similarity) / COMPONENTS);
        double equal = COMPONENTS * (least + (1 - least) / 256);
        int row = COMPONENTS / 2;
        while (row > 1 && found(similarity, row) < FOUND) {
            row--;
        }
        return ofBytes("superminhash v1 of %d".formatted(COMPONENTS), COMPONENTS, COMPONENTS / row, row, equal);
    }

    /** The share of the pairs of a similarity that have a band of this many components in common. */
    private static double found(double similarity, int rows) {
        return 1 - Math.pow(1 - Math.pow(similarity, rows), Math.floorDiv(COMPONENTS, rows));
    }

    /**
     * The share of equal bits of 128. Of 8 bands of 16 bits one has at most one bit of difference if all have at most 15, so
     * a look at each value that differs in one bit misses no pair of a similarity of 0.89 or more.
     * @see <a href="https://doi.org/10.1145/1242572.1242592">Manku, Jain, Das Sarma, Detecting near-duplicates for web
     *     crawling, WWW 2007</a>
     */
    static Likeness ofBits(double similarity) {
        int bytes = BITS / Byte.SIZE;
        double apart = BITS * (1 - similarity) + 1e-9;
        return new Likeness(
                "gradients v1 of %d".formatted(BITS),
                bytes,
                bytes / Short.BYTES,
                1 + Short.SIZE,
                (signatures, at, band, probe) -> {
                    int value = signatures[at + 2 * band] & 0xFF | (signatures[at + 2 * band + 1] & 0xFF) << Byte.SIZE;
                    return probe == 0 ? value : value ^ 1 << probe - 1;
                },
                (signatures, at, other) -> {
                    int different = 0;
                    for (int i = 0; i < bytes; i++) {
                        different += Integer.bitCount((signatures[at + i] ^ signatures[other + i]) & 0xFF);
                    }
                    return different <= apart;
                });
    }

    /** The samples that are kept, by the values of their bands. Memory: 12 to 20 bytes a sample and band. */
    final class Bands {

        private final byte[] signatures;
        private final int[][] heads; // a sample's number and 1; 0 is the end
        private final int[][] next;

        Bands(byte[] signatures) {
            this.signatures = signatures;
            int samples = signatures.length / bytes;
            int slots = Math.max(2, Integer.highestOneBit(Math.max(1, samples)) * 2);
            this.heads = new int[bands][slots];
            this.next = new int[bands][samples];
        }

        private int slot(int sample, int number, int probe) {
            long value = band.value(signatures, sample * bytes, number, probe) * 0x9E37_79B9_7F4A_7C15L;
            return (int) (value >>> 32) & heads[number].length - 1;
        }

        /** Whether a sample is like one that was put. */
        boolean hasLike(int sample) {
            for (int number = 0; number < bands; number++) {
                for (int probe = 0; probe < probes; probe++) {
                    int each = heads[number][slot(sample, number, probe)];
                    for (; each > 0; each = next[number][each - 1]) {
                        if (alike.test(signatures, sample * bytes, (each - 1) * bytes)) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        void put(int sample) {
            for (int number = 0; number < bands; number++) {
                int slot = slot(sample, number, 0);
                next[number][sample] = heads[number][slot];
                heads[number][slot] = sample + 1;
            }
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
