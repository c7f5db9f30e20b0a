package io.penstock.store.mirror;

import io.penstock.fault.StoreException;
import io.penstock.internal.NodeLock;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.FolderFiles;
import io.penstock.store.internal.copy.BlockSums;
import io.penstock.store.internal.copy.LocalCopy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The room that the copies of a directory take, agreed on by all processes that mirror into it.
 *
 * <p>One file holds the number of bytes. Its lock is held to change it, and to make, finish or remove a copy; the
 * operating system releases the lock of a process that dies. An unfinished {@link LocalCopy} counts with its final size,
 * which is part of its name. So the number can be counted again at any time; opening a mirror does.
 *
 * <p>All methods block, and belong on one thread: locks are the process's, not a thread's.
 */
final class MirrorRoom {

    /** The file that holds the number of bytes; a folder that has it is a mirror's. */
    static final String COUNTER = ".penstock-mirror-room";

    private static final long FREE_MARGIN = 64L << 20;

    private final Path directory;
    private final MirrorLimit limit;
    private final NodeLock counter;
    private long maxBytes;

    /** Nothing fits before the first {@link #recount}. */
    MirrorRoom(Path directory, MirrorLimit limit) throws IOException {
        this.directory = directory;
        this.limit = limit;
        this.counter = NodeLock.shared(directory.resolve(COUNTER));
    }

    /** A copy that is being made. */
    record Unfinished(LocalCopy copy, Path target, long size) {}

    @FunctionalInterface
    private interface Work<T> {
        T run(long held) throws IOException;
    }

    private <T> T locked(Work<T> work) throws IOException {
        FileLock lock = counter.lock(0); // another mirror of this process may hold it, for microseconds
        try {
            return work.run(held());
        } finally {
            lock.release();
        }
    }

    private long held() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
        return counter.channel().read(bytes, 0) == Long.BYTES ? Math.max(0, bytes.getLong(0)) : 0;
    }

    private void hold(long bytes) throws IOException {
        counter.channel().write(ByteBuffer.allocate(Long.BYTES).putLong(0, Math.max(0, bytes)), 0);
    }

    /** Counts what there is, and removes what dead processes left unfinished. Other files stay. */
    long recount() throws IOException {
        return locked(before -> {
            long sum = 0;
            for (Path part : parts(directory)) {
                sum += recount(part);
            }
            hold(sum);
            maxBytes = limit.in(directory, sum);
            return sum;
        });
    }

    /** Removes all copies that are complete, and the folders that have none then. */
    void clear() throws IOException {
        locked(before -> {
            for (Path part : parts(directory)) {
                for (Path copy : copies(part)) {
                    BlockSums.delete(copy);
                }
                deleteIfEmpty(part);
                deleteIfEmpty(folder(part));
            }
            return before;
        });
        recount();
    }

    private static void deleteIfEmpty(Path folder) throws IOException {
        if (FolderFiles.list(folder, "*").isEmpty()) {
            Files.deleteIfExists(folder);
        }
    }

    /** The copies in one of the folders that are complete. */
    static List<Path> copies(Path part) throws IOException {
        return FolderFiles.list(part, "*").stream()
                .filter(file -> MirrorNames.isCopy(FileNames.of(file)) && !MirrorNames.isUnfinished(FileNames.of(file)))
                .toList();
    }

    /** The folders that copies lie in. */
    static List<Path> parts(Path directory) throws IOException {
        List<Path> parts = new ArrayList<>();
        for (Path folder : FolderFiles.list(directory, "*")) {
            if (MirrorNames.isFolder(FileNames.of(folder))) {
                parts.addAll(FolderFiles.list(folder, "*"));
            }
        }
        return parts;
    }

    private static long recount(Path part) throws IOException {
        long sum = 0;
        for (Path file : FolderFiles.list(part, "*")) {
            String name = FileNames.of(file);
            if (BlockSums.isLeft(file)) {
                Files.deleteIfExists(file);
            } else if (MirrorNames.isUnfinished(name) && LocalCopy.isLeft(file)) {
                BlockSums.delete(file);
            } else if (MirrorNames.isCopy(name)) {
                sum += MirrorNames.size(name);
            }
        }
        return sum;
    }

    /** Begins a copy; empty where there is no room for it. */
    Optional<Unfinished> begin(Path target, long size) throws IOException {
        return locked(held -> {
            boolean fits = size <= maxBytes
                    && held <= maxBytes - size
                    && Files.getFileStore(directory).getUsableSpace() - FREE_MARGIN >= size;
            if (!fits) {
                return Optional.<Unfinished>empty();
            }
            Files.createDirectories(folder(target));
            String name = FileNames.of(target);
            LocalCopy copy = LocalCopy.begin(folder(target), nonce -> MirrorNames.unfinished(name, nonce));
            hold(held + size);
            return Optional.of(new Unfinished(copy, target, size));
        });
    }

    private static Path folder(Path file) {
        Path folder = file.getParent();
        if (folder == null) {
            throw new IllegalArgumentException("a copy lies in a folder: " + file);
        }
        return folder;
    }

    /**
     * Gives a complete copy its name, and removes copies of other versions of its key.
     * @throws StoreException if it has not the length it should have
     */
    void finish(Unfinished made) throws IOException {
        long written = made.copy.size();
        if (written != made.size) {
            throw new StoreException("copy of %d bytes has %d: %s".formatted(made.size, written, made.target));
        }
        locked(held -> {
            long now = held;
            boolean another = Files.exists(made.target);
            if (another) {
                now -= made.size;
            }
            if (!another || !BlockSums.areThere(made.target, made.size)) {
                made.copy.moveTo(made.target);
                now -= removeOthers(made.target);
            }
            made.copy.close();
            hold(now);
            return now;
        });
    }

    private static long removeOthers(Path target) throws IOException {
        String name = FileNames.of(target);
        long freed = 0;
        for (Path file : FolderFiles.list(folder(target), "*")) {
            String other = FileNames.of(file);
            boolean older = MirrorNames.isCopy(other)
                    && !MirrorNames.isUnfinished(other)
                    && MirrorNames.sameKey(name, other)
                    && !other.equals(name);
            if (older && BlockSums.delete(file)) {
                freed += MirrorNames.size(other);
            }
        }
        return freed;
    }

    /** Gives up a copy that was begun. */
    void abandon(Unfinished made) throws IOException {
        locked(held -> {
            if (made.copy.abandon()) {
                hold(held - made.size);
            }
            return held;
        });
    }

    /** Whether a file is a copy whose bytes do not match its checksums, or that has none. */
    static boolean isDamaged(Path file) throws IOException {
        String name = FileNames.of(file);
        return MirrorNames.isCopy(name) && !MirrorNames.isUnfinished(name) && !BlockSums.areRight(file);
    }

    /** Removes a copy that is not what its name says, and gives its path. */
    Path remove(Path copy) throws IOException {
        return locked(held -> {
            if (BlockSums.delete(copy)) {
                hold(held - MirrorNames.size(FileNames.of(copy)));
            }
            return copy;
        });
    }

    /** The bytes that all copies have, or will have. */
    long bytes() throws IOException {
        try {
            return held();
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    void close() throws IOException {
        counter.close();
    }
}
