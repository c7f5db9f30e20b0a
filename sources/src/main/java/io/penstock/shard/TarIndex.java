package io.penstock.shard;

import io.penstock.fault.FormatException;
import io.penstock.internal.HeapLimit;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the files of one archive lie in it, in their order: 20 bytes and its name each. Folders, links and devices are
 * left out.
 *
 * @param nameEnds where the name of each ends in all of them
 * @param damage   why the archive has one sample that fails; null if it does not
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record TarIndex(
        long[] offsets,
        long[] lengths,
        int[] nameEnds,
        byte[] names,
        @Nullable FormatException damage) {

    /** Of a file that cannot be indexed: one sample without a byte, which fails. */
    static TarIndex damaged(FormatException damage) {
        byte[] name = "damaged.file".getBytes(StandardCharsets.UTF_8);
        return new TarIndex(new long[1], new long[1], new int[] {name.length}, name, damage);
    }

    /**
     * Scans an archive.
     * @throws FormatException if it is cut off or broken
     */
    static TarIndex scan(TarBytes bytes, String archive) {
        Builder builder = new Builder(archive);
        TarScan scan = new TarScan(bytes, archive);
        for (TarMember member = scan.next(); member != null; member = scan.next()) {
            if (member.type() == TarMember.Type.FILE) {
                builder.add(member.offset(), member.size(), member.name());
            }
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

    String name(int file) {
        int start = file == 0 ? 0 : nameEnds[file - 1];
        return new String(names, start, nameEnds[file] - start, StandardCharsets.UTF_8);
    }

    /** Collects what is found. */
    static final class Builder {
        private final String archive;
        private long[] offsets = new long[64];
        private long[] lengths = new long[64];
        private int[] nameEnds = new int[64];
        private final ByteArrayOutputStream names = new ByteArrayOutputStream(2048);
        private int size;

        Builder(String archive) {
            this.archive = archive;
        }

        int size() {
            return size;
        }

        void add(long offset, long length, String name) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            if (size == offsets.length) {
                int larger = (int) Math.min(HeapLimit.MAX_ARRAY, 2L * size);
                offsets = Arrays.copyOf(offsets, larger);
                lengths = Arrays.copyOf(lengths, larger);
                nameEnds = Arrays.copyOf(nameEnds, larger);
            }
            if (size == offsets.length || bytes.length > HeapLimit.MAX_ARRAY - names.size()) {
                throw new FormatException("%s has more files, or longer names, than one index holds: split it after %d"
                        .formatted(archive, size));
            }
            names.writeBytes(bytes);
            offsets[size] = offset;
            lengths[size] = length;
            nameEnds[size++] = names.size();
        }

        TarIndex build() {
            return new TarIndex(
                    Arrays.copyOf(offsets, size),
                    Arrays.copyOf(lengths, size),
                    Arrays.copyOf(nameEnds, size),
                    names.toByteArray(),
                    null);
        }
    }
}
