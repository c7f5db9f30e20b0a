package io.penstock.shard;

import java.util.List;

/**
 * One member of an archive, as its headers say.
 *
 * @param name     as it was written: possibly absolute or with {@code ..}
 * @param type     what it is
 * @param head     where its first header begins
 * @param offset   where its stored bytes begin
 * @param stored   how many there are in the archive
 * @param size     how many it has once expanded: as many, unless it is sparse
 * @param pieces   of a sparse member: offsets and lengths in turn; empty where they lie before the data
 */
record TarMember(String name, Type type, long head, long offset, long stored, long size, List<Long> pieces) {

    /** Kinds of members: only the first two have bytes that can be a sample's. */
    enum Type {
        FILE,
        SPARSE,
        FOLDER,
        LINK,
        OTHER
    }

    /** Where the next header may begin. */
    long end() {
        return padded(offset + stored);
    }

    static long padded(long length) {
        return length + TarHeader.BLOCK - 1 & -TarHeader.BLOCK;
    }
}
