package io.penstock.duplicate;

/** The samples that are kept, by the values of their bands. Memory: 12 to 20 bytes a sample and band. */
final class Bands {

    private final Likeness likeness;
    private final byte[] signatures;
    private final int[][] heads; // a sample's number and 1; 0 is the end
    private final int[][] next;

    Bands(Likeness likeness, byte[] signatures) {
        this.likeness = likeness;
        this.signatures = signatures;
        int samples = signatures.length / likeness.bytes();
        int slots = Math.max(2, Integer.highestOneBit(Math.max(1, samples)) * 2);
        this.heads = new int[likeness.bands()][slots];
        this.next = new int[likeness.bands()][samples];
    }

    private int slot(int sample, int band, int probe) {
        long value = likeness.band().value(signatures, sample * likeness.bytes(), band, probe) * 0x9E37_79B9_7F4A_7C15L;
        return (int) (value >>> 32) & heads[band].length - 1;
    }

    /** Whether a sample is like one that was put. */
    boolean hasLike(int sample) {
        int bytes = likeness.bytes();
        for (int band = 0; band < heads.length; band++) {
            for (int probe = 0; probe < likeness.probes(); probe++) {
                int each = heads[band][slot(sample, band, probe)];
                for (; each > 0; each = next[band][each - 1]) {
                    if (likeness.alike().test(signatures, sample * bytes, (each - 1) * bytes)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    void put(int sample) {
        for (int band = 0; band < heads.length; band++) {
            int slot = slot(sample, band, 0);
            next[band][sample] = heads[band][slot];
            heads[band][slot] = sample + 1;
        }
    }
}
