package io.penstock.store.internal;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a file is still in the state it was opened in. One check covers all reads that ended before it, since a
 * check by path costs about as much as two reads of 1 KiB.
 */
public final class FileWatch {

    private final Path path;
    private final FileState state;
    private volatile long lookedAt;

    /** @param state of the path before the file was opened */
    public FileWatch(Path path, FileState state) {
        this.path = path;
        this.state = state;
        this.lookedAt = System.nanoTime();
    }

    /**
     * Whether the file was unchanged at a {@link System#nanoTime} or later.
     * @throws IOException if it is gone
     */
    public boolean isUnchangedSince(long time) throws IOException {
        if (lookedAt - time > 0) {
            return true;
        }
        long begun = System.nanoTime();
        if (!FileState.of(path).equals(state)) {
            return false;
        }
        lookedAt = begun; // a lost race leaves an earlier time, which only costs another look
        return true;
    }

    /**
     * The same file from now on, for which inode and change time may be others.
     * @return null if its size or modification time is another, or it is none
     */
    public @Nullable FileWatch again() throws IOException {
        FileState now = FileState.of(path);
        return now.isAsListed(state.size(), state.modified()) ? new FileWatch(path, now) : null;
    }
}
