package io.penstock.shard;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Expands a sparse member, which an archive holds as a map and the pieces that are not zero. All four of GNU's formats.
 * @see <a href="https://www.gnu.org/software/tar/manual/html_node/Sparse-Formats.html">GNU tar, storing sparse
 *     files</a>
 */
final class SparseFile {

    private static final int LONGEST_NUMBER = 20;

    private final String name;
    private final byte[] stored;
    private int at;

    private SparseFile(String name, byte[] stored) {
        this.name = name;
        this.stored = stored;
    }

    /**
     * The bytes of the one member in an extract that begins at its first header.
     * @param max bytes of the expanded member
     * @throws FormatException if it claims more, or its map does not fit its size and its bytes
     */
    static ByteBuffer expand(ByteBuffer extract, String archive, long max) {
        TarBytes bytes = TarBytes.of(extract);
        TarMember member = new TarScan(bytes, archive).next();
        if (member == null) {
            throw new FormatException("%s has no sparse member where it had one".formatted(archive));
        }
        if (member.size() > max) {
            throw new FormatException("%s in %s is too large: at most %d bytes, expands to %d; raise maxSampleBytes"
                    .formatted(member.name(), archive, max, member.size()));
        }
        SparseFile file =
                new SparseFile(member.name() + " in " + archive, bytes.at(member.offset(), (int) member.stored()));
        List<Long> pieces = member.pieces().isEmpty() ? file.mapBeforeData() : member.pieces();
        return file.place(pieces, (int) member.size());
    }

    /** Version 1.0: the number of pieces, then offset and length of each, a line each, then filled up to a block. */
    private List<Long> mapBeforeData() {
        long count = line();
        if (count < 0 || count > stored.length / 4) {
            throw broken("claims %d pieces".formatted(count));
        }
        List<Long> pieces = new ArrayList<>();
        for (int i = 0; i < 2 * count; i++) {
            pieces.add(line());
        }
        at = (int) TarMember.padded(at);
        return pieces;
    }

    private long line() {
        StringBuilder digits = new StringBuilder();
        while (at < stored.length && stored[at] != '\n' && digits.length() < LONGEST_NUMBER) {
            digits.append((char) (stored[at++] & 0xFF));
        }
        at++;
        return TarNumber.decimal(digits.toString());
    }

    private ByteBuffer place(List<Long> pieces, int size) {
        if (pieces.size() % 2 != 0) {
            throw broken("has an offset without a length");
        }
        byte[] expanded = new byte[size];
        long end = 0;
        for (int i = 0; i < pieces.size(); i += 2) {
            long offset = pieces.get(i);
            long length = pieces.get(i + 1);
            if (offset < end || length < 0 || length > size - offset || length > stored.length - at) {
                throw broken("has %d bytes at %d, of %d, with %d bytes stored"
                        .formatted(length, offset, size, Math.max(0, stored.length - at)));
            }
            System.arraycopy(stored, at, expanded, (int) offset, (int) length);
            at += (int) length;
            end = offset + length;
        }
        return ByteBuffer.wrap(expanded);
    }

    private FormatException broken(String what) {
        return new FormatException("sparse map of %s is broken: it %s".formatted(name, what));
    }
}
