package io.penstock.shard;

import java.util.ArrayList;
import java.util.List;

/**
 * The map of a sparse member as GNU tar wrote it before pax: four pieces in the header, more in the blocks after it.
 *
 * @param pieces   offsets and lengths in turn; one that is no number is {@link TarNumber#BAD}
 * @param realSize of the file once expanded
 * @param data     where the stored bytes begin
 */
record OldSparse(List<Long> pieces, long realSize, long data) {

    private static final int HEADER_PIECES_AT = 386;
    private static final int REAL_SIZE_AT = 483;
    private static final int PIECE = 24;

    static OldSparse read(TarHeader header, TarBytes bytes, long after, int maxPieces) {
        List<Long> pieces = new ArrayList<>();
        byte[] block = header.block();
        boolean more = add(pieces, block, HEADER_PIECES_AT, 4);
        long data = after;
        while (more && pieces.size() < 2 * maxPieces) {
            block = bytes.at(data, TarHeader.BLOCK);
            if (block.length < TarHeader.BLOCK) {
                break;
            }
            data += TarHeader.BLOCK;
            more = add(pieces, block, 0, 21);
        }
        return new OldSparse(pieces, TarNumber.parse(header.block(), REAL_SIZE_AT, 12), data);
    }

    /** Whether another block follows. */
    private static boolean add(List<Long> pieces, byte[] block, int at, int count) {
        for (int i = 0; i < count; i++) {
            int piece = at + i * PIECE;
            if (block[piece] == 0) {
                break;
            }
            pieces.add(TarNumber.parse(block, piece, 12));
            pieces.add(TarNumber.parse(block, piece + 12, 12));
        }
        return block[at + count * PIECE] != 0;
    }
}
