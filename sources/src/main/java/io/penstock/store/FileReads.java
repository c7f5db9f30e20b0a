package io.penstock.store;

import io.penstock.fault.StoreException;
import io.penstock.internal.Begun;
import io.penstock.internal.FileErrors;
import io.penstock.internal.HeapLimit;
import io.penstock.pipeline.GroupLoader;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.FileState;
import io.penstock.store.internal.copy.BlockSums;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads of the files of a folder, each between two looks at its file that find the same state. Everything blocks.
 *
 * @param ofCopies whether the files are read through their {@link BlockSums}
 * @param files    held open for reads by range
 */
record FileReads(Path root, boolean ofCopies, OpenFiles files, Set<String> withinRoot) {

    private static final int FOLDERS_REMEMBERED = 10_000;
    private static final int MAX_READS = 4;
    private static final long NANOS_TOGETHER = 1_000_000;
    private static final long NANOS = 1_000_000_000;

    FileReads(Path root, boolean ofCopies, OpenFiles files) {
        this(root, ofCopies, files, ConcurrentHashMap.newKeySet());
    }

    /** The time that a version is. */
    static Instant instant(long nanos) {
        return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
    }

    /** All bytes of an entry that has at most this many. */
    ByteBuffer atMost(StoreEntry entry, int max) {
        if (entry.size() > max) {
            throw new StoreException("cannot read %s in %s: at most %d bytes are expected, it has %d"
                    .formatted(entry.key(), root, max, entry.size()));
        }
        return whole(entry);
    }

    /** All bytes of an entry, whose file is opened and closed. */
    ByteBuffer whole(StoreEntry entry) {
        if (entry.size() > HeapLimit.MAX_ARRAY) {
            throw new StoreException("cannot read %s in %s: a sample holds at most %d bytes, the file has %d"
                    .formatted(entry.key(), root, HeapLimit.MAX_ARRAY, entry.size()));
        }
        try {
            for (int count = 1; count <= MAX_READS; count++) {
                Range range = read(openUnchanged(entry), entry, 0, (int) entry.size());
                if (range.file.isUnchangedSince(range.readAt)) {
                    return range.bytes;
                }
            }
        } catch (IOException e) {
            throw cannotRead(entry.key(), e);
        }
        throw changing(entry);
    }

    /** Bytes that were read, and when; no value until the file's state has been checked again. */
    private record Range(StoreEntry entry, long offset, OpenFile file, ByteBuffer bytes, long readAt) {}

    /** The first of some pieces: of each its bytes, a {@link Begun.Failed}, or null if it was not wanted. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Some(@Nullable Object[] outcomes, int count) {

        void tell(GroupLoader.Receiver<ByteBuffer> receiver) {
            for (int i = 0; i < count; i++) {
                if (outcomes[i] instanceof Begun.Failed failure) {
                    receiver.failure(i, failure.cause());
                } else if (outcomes[i] != null) {
                    receiver.value(i, (ByteBuffer) outcomes[i]);
                }
            }
        }
    }

    /** Reads as many pieces as take a millisecond, then looks at their files. */
    Some some(List<FileStore.Piece> pieces, IntPredicate wanted) {
        @Nullable Object[] outcomes = new Object[pieces.size()];
        long started = System.nanoTime();
        int count = 0;
        while (count < outcomes.length && System.nanoTime() - started < NANOS_TOGETHER) {
            if (wanted.test(count)) {
                FileStore.Piece piece = pieces.get(count);
                outcomes[count] = tried(() -> read(piece.entry(), piece.offset(), piece.length()));
            }
            count++;
        }
        for (int i = 0; i < count; i++) {
            if (outcomes[i] instanceof Range range) {
                outcomes[i] = tried(() -> unchanged(range));
            }
        }
        return new Some(outcomes, count);
    }

    private static Object tried(Supplier<Object> read) {
        try {
            return read.get();
        } catch (Throwable e) { // of this piece alone
            return Begun.failed(e);
        }
    }

    /** A range of a file that stays open. */
    ByteBuffer range(StoreEntry entry, long offset, int length) {
        return unchanged(read(entry, offset, length));
    }

    private Range read(StoreEntry entry, long offset, int length) {
        try {
            return read(files.hold(entry, this::openUnchanged), entry, offset, length);
        } catch (IOException e) {
            throw cannotRead(entry.key(), e);
        }
    }

    /** The bytes of a range if its file is as it was before; otherwise reads the file that is there now. */
    private ByteBuffer unchanged(Range read) {
        Range range = read;
        try {
            for (int count = 1; count <= MAX_READS; count++) {
                if (range.file.isUnchangedSince(range.readAt)) {
                    return range.bytes;
                }
                files.drop(range.entry, range.file);
                range = read(range.entry, range.offset, range.bytes.capacity());
            }
        } catch (IOException e) {
            throw cannotRead(range.entry.key(), e);
        }
        throw changing(range.entry);
    }

    private Range read(OpenFile file, StoreEntry entry, long offset, int length) throws IOException {
        try {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            file.read(bytes, offset);
            if (bytes.hasRemaining()) {
                throw changed(entry, "has %d or fewer".formatted(offset + bytes.position()));
            }
            return new Range(entry, offset, file, bytes.flip(), System.nanoTime());
        } finally {
            file.release();
        }
    }

    private OpenFile openUnchanged(StoreEntry entry) throws IOException {
        Path path = locate(entry.key());
        FileState now = FileState.of(path);
        if (now.kind() == FileState.Kind.LINK) {
            path = path.toRealPath();
            if (!path.startsWith(root)) {
                throw FileNames.outside(root, entry.key());
            }
            now = FileState.of(path);
        }
        if (!now.isAsListed(entry.size(), entry.version())) {
            throw changed(
                    entry,
                    !now.isFile()
                            ? "is no file"
                            : now.size() != entry.size()
                                    ? "has " + now.size()
                                    : "was written at " + instant(now.modified()));
        }
        if (ofCopies) {
            return OpenFile.at(path, now, BlockSums.of(path, now.size()));
        }
        now.settle();
        return OpenFile.at(path, now, null);
    }

    /** The path of a key, whose folder is known to lie under the root; the file itself may yet be a link. */
    private Path locate(String key) throws IOException {
        Path path = FileNames.resolve(root, key);
        int slash = key.lastIndexOf('/');
        if (slash < 0) {
            return path;
        }
        String folder = key.substring(0, slash);
        if (!withinRoot.contains(folder)) {
            if (!FileNames.resolve(root, folder).toRealPath().startsWith(root)) {
                throw FileNames.outside(root, key);
            }
            if (withinRoot.size() >= FOLDERS_REMEMBERED) {
                withinRoot.clear();
            }
            withinRoot.add(folder);
        }
        return path;
    }

    private StoreException changed(StoreEntry entry, String now) {
        return new StoreException("%s in %s changed since it was listed: had %d bytes, now %s; open the data again"
                .formatted(entry.key(), root, entry.size(), now));
    }

    private StoreException changing(StoreEntry entry) {
        return new StoreException(
                "%s in %s changed while it was read, %d times in a row; open the data when it is complete"
                        .formatted(entry.key(), root, MAX_READS));
    }

    StoreException cannotRead(String key, IOException failure) {
        return new StoreException("cannot read %s in %s: %s".formatted(key, root, FileErrors.reason(failure)), failure);
    }
}
