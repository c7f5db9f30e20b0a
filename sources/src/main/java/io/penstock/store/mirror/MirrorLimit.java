package io.penstock.store.mirror;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How many bytes the copies in a directory may have.
 *
 * @param bytes if share is 0
 * @param share of what is free there and what the copies take; 0 for none
 */
record MirrorLimit(long bytes, double share) {

    static final MirrorLimit NONE = new MirrorLimit(Long.MAX_VALUE, 0);

    MirrorLimit {
        if (bytes < 1) {
            throw new IllegalArgumentException("a mirror needs at least 1 byte, was " + bytes);
        }
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("the share of free space must be in (0, 1], was " + share);
        }
    }

    /** @param held the bytes that the copies take now */
    long in(Path directory, long held) throws IOException {
        return share == 0
                ? bytes
                : (long) (share * (Files.getFileStore(directory).getUsableSpace() + held));
    }

    @Override
    public String toString() {
        return share == 0 ? bytes + " bytes" : "%s of what is free".formatted(share);
    }
}
