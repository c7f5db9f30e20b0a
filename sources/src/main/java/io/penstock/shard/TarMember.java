package io.penstock.shard;

/**
 * One member of an archive, as its headers say.
 *
 * @param name   as it was written: possibly absolute or with {@code ..}
 * @param offset where its bytes begin
 * @param size   how many there are
 */
record TarMember(String name, Type type, long offset, long size) {

    /** Kinds of members: only a file has bytes that can be a sample's. */
    enum Type {
        FILE,
        FOLDER,
        LINK,
        OTHER
    }

    /** Where the next header may begin. */
    long end() {
        return padded(offset + size);
    }

    static long padded(long length) {
        return length + TarHeader.BLOCK - 1 & -TarHeader.BLOCK;
    }
}
