package io.penstock.shard;

import io.penstock.fault.FormatException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Where the files of one archive lie in it, in their order: 20 bytes and its name each. Folders, links and devices are
 * left out.
 *
 * <p>A sparse file's range is its whole part of the archive, headers too: it is expanded when it is read.
 */
final class TarIndex {

    private final long[] offsets;
    private final long[] lengths;
    private final BitSet sparse;
    private final int[] nameEnds;
    private final byte[] names;

    TarIndex(long[] offsets, long[] lengths, BitSet sparse, int[] nameEnds, byte[] names) {
        this.offsets = offsets;
        this.lengths = lengths;
        this.sparse = sparse;
        this.nameEnds = nameEnds;
        this.names = names;
    }

    /**
     * Scans an archive.
     * @throws FormatException if it is cut off or broken
     */
    static TarIndex scan(TarBytes bytes, String archive) {
        Builder builder = new Builder();
        TarScan scan = new TarScan(bytes, archive);
        try {
            for (TarMember member = scan.next(); member != null; member = scan.next()) {
                builder.add(member);
            }
        } catch (FormatException e) {
            throw builder.size == 0 ? e : new FormatException(e.getMessage() + "; fetch it again", e);
        }
        return builder.build();
    }

    int size() {
        return offsets.length;
    }

    long offset(int file) {
        return offsets[file];
    }

    long length(int file) {
        return lengths[file];
    }

    boolean isSparse(int file) {
        return sparse.get(file);
    }

    String name(int file) {
        int start = file == 0 ? 0 : nameEnds[file - 1];
        return new String(names, start, nameEnds[file] - start, StandardCharsets.UTF_8);
    }

    long[] offsets() {
        return offsets;
    }

    long[] lengths() {
        return lengths;
    }

    BitSet sparse() {
        return sparse;
    }

    int[] nameEnds() {
        return nameEnds;
    }

    byte[] names() {
        return names;
    }

    private static final class Builder {
        private long[] offsets = new long[64];
        private long[] lengths = new long[64];
        private int[] nameEnds = new int[64];
        private byte[] names = new byte[2048];
        private final BitSet sparse = new BitSet();
        private int size;
        private int named;

        void add(TarMember member) {
            boolean holes = member.type() == TarMember.Type.SPARSE;
            if (!holes && member.type() != TarMember.Type.FILE) {
                return;
            }
            byte[] name = member.name().getBytes(StandardCharsets.UTF_8);
            if (size == offsets.length) {
                offsets = Arrays.copyOf(offsets, 2 * size);
                lengths = Arrays.copyOf(lengths, 2 * size);
                nameEnds = Arrays.copyOf(nameEnds, 2 * size);
            }
            if (Math.addExact(named, name.length) > names.length) {
                names = Arrays.copyOf(names, (int) Math.min(Integer.MAX_VALUE - 8, 2L * (named + name.length)));
            }
            System.arraycopy(name, 0, names, named, name.length);
            named += name.length;
            offsets[size] = holes ? member.head() : member.offset();
            lengths[size] = holes ? member.offset() + member.stored() - member.head() : member.stored();
            sparse.set(size, holes);
            nameEnds[size++] = named;
        }

        TarIndex build() {
            return new TarIndex(
                    Arrays.copyOf(offsets, size),
                    Arrays.copyOf(lengths, size),
                    sparse,
                    Arrays.copyOf(nameEnds, size),
                    Arrays.copyOf(names, named));
        }
    }
}
