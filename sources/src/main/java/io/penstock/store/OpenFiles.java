package io.penstock.store;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The files of which ranges are read, held open: a bounded number, the ones used least recently (by second chance) go.
 */
final class OpenFiles {

    private final ConcurrentMap<StoreEntry, OpenFile> files = new ConcurrentHashMap<>();
    private final int max;
    private volatile boolean closed;

    OpenFiles(int max) {
        this.max = max;
    }

    @FunctionalInterface
    interface Opener {
        OpenFile open(StoreEntry entry) throws IOException;
    }

    /** The file of an entry, held for the caller, who releases it. */
    OpenFile hold(StoreEntry entry, Opener opener) throws IOException {
        while (true) {
            OpenFile known = files.get(entry);
            if (known != null && known.hold()) {
                return known;
            }
            if (closed) {
                throw new StoreException("cannot read %s: its store is closed".formatted(entry.key()));
            }
            if (known != null) {
                files.remove(entry, known);
                continue;
            }
            OpenFile opened = opener.open(entry);
            opened.hold();
            if (files.putIfAbsent(entry, opened) == null) {
                keepBound(opened);
                if (closed) {
                    drop(entry, opened); // closed since, perhaps before this entry was added; the caller may still read
                }
                return opened;
            }
            opened.release();
            opened.release();
        }
    }

    private void keepBound(OpenFile newest) {
        // two rounds: the first may find that all were used
        for (int round = 0; round < 2; round++) {
            for (var open : files.entrySet()) {
                if (files.size() <= max) {
                    return;
                }
                OpenFile file = open.getValue();
                if (file != newest && !file.takeUsed()) {
                    drop(open.getKey(), file);
                }
            }
        }
    }

    /** Releases a file that must not be read any more; the next read opens the entry again. */
    void drop(StoreEntry entry, OpenFile file) {
        if (files.remove(entry, file)) {
            file.release();
        }
    }

    int size() {
        return files.size();
    }

    void close() {
        closed = true;
        files.forEach(this::drop);
    }
}
