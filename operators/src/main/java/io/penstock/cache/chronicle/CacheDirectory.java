package io.penstock.cache.chronicle;

import io.penstock.cache.Producer;
import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.cache.chronicle.internal.SharedCounters;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * The directory of a {@link ChronicleTier} as tools see it, without opening the cache. All methods block.
 */
public final class CacheDirectory {

    /** The system gives the list page by page, and leaves lines out where other locks go in between. */
    private static final int LOOKS_AT_LOCKS = 4;

    private final CacheFiles files;

    CacheDirectory(CacheFiles files) {
        this.files = files;
    }

    /**
     * The cache in a directory.
     * @throws StoreException if there is no such directory, or no cache in it
     */
    public static CacheDirectory at(Path directory) {
        try {
            if (Files.exists(directory) && !Files.isDirectory(directory)) {
                throw new StoreException("no cache in %s: it is a file, not a directory".formatted(directory));
            }
            CacheFiles files = new CacheFiles(directory.toRealPath());
            if (files.readFormat() == CacheFiles.NO_FORMAT && files.logs().isEmpty()) {
                throw new StoreException(
                        "no cache in %s: it has neither a file \"format\" of one nor a log".formatted(directory));
            }
            return new CacheDirectory(files);
        } catch (IOException e) {
            throw new StoreException("no cache in %s: %s".formatted(directory, reason(e)), e);
        }
    }

    private static String reason(IOException e) {
        return e instanceof java.nio.file.NoSuchFileException ? "there is no such directory" : FileErrors.reason(e);
    }

    /** The directory, without links. */
    public Path path() {
        return files.root;
    }

    /** The version of what is in the files; -1 where it is not legible. */
    public int format() {
        return attempt("read", files::readFormat);
    }

    /** Who filled it, in the order they came. */
    public List<Producer> producers() {
        return attempt("read", () -> new ProvenanceLog(files.fillings()).read());
    }

    /** The budget of the last process that opened it, in bytes; 0 where that is not known. */
    public long budget() {
        return attempt("read", () -> SharedCounters.view(files.control()).budget());
    }

    /**
     * The processes that have it open, by their ids as the system's list of locks has them; empty where there is no
     * such list, as outside of Linux, and those in other containers may be missing.
     */
    public List<Long> processes() {
        try {
            long inode = ((Number) Objects.requireNonNull(Files.getAttribute(files.locks(), "unix:ino"))).longValue();
            SortedSet<Long> processes = new TreeSet<>();
            for (int count = 0; count < LOOKS_AT_LOCKS; count++) {
                processes.addAll(lockers(inode));
            }
            return List.copyOf(processes);
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return List.of();
        }
    }

    private static List<Long> lockers(long inode) throws IOException {
        try (Stream<String> locks = Files.lines(Path.of("/proc/locks"))) {
            return locks.map(line -> line.trim().split("\\s+"))
                    .filter(words -> words.length >= 6 && words[5].endsWith(":" + inode))
                    .map(words -> Long.parseLong(words[4]))
                    .filter(process -> process > 0)
                    .toList();
        }
    }

    /**
     * Reads every value in the files and compares its checksum; the number of values.
     * @param progress told the bytes of each value before they are read
     * @param damaged  told of what is not as it was written
     * @throws StoreException if the files cannot be read, or are of another version
     */
    public long verify(LongConsumer progress, Consumer<Damage> damaged) {
        return attempt("verify", () -> {
            files.requireFormat(false);
            return new Verification(progress, damaged).of(files);
        });
    }

    /** What lies in the directory and has no name of the cache's own. It is neither read nor deleted. */
    public List<Path> foreign() {
        return attempt("list", files::foreign);
    }

    /**
     * Deletes the cache's own files, and nothing else.
     * @throws StoreException if a process has the cache open, or something cannot be deleted
     */
    public void clear() {
        attempt("clear", () -> {
            for (CacheFiles.Strange strange : files.strangeShared()) {
                if (!strange.path().equals(files.control())) {
                    throw new IOException("whether a process has it open cannot be told: " + strange);
                }
            }
            try (DirectoryLocks locks = DirectoryLocks.open(files);
                    FileLock opening = locks.opening()) {
                if (!opening.isValid() || !locks.isAlone()) {
                    long own = ProcessHandle.current().pid();
                    List<Long> others =
                            processes().stream().filter(id -> id != own).toList();
                    throw new StoreException("cannot clear the cache in %s: it is open in process %s; end that first"
                            .formatted(files.root, others));
                }
                files.clear();
                return true;
            }
        });
    }

    private interface Attempt<T> {
        T run() throws IOException;
    }

    private <T> T attempt(String verb, Attempt<T> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw new StoreException(
                    "cannot %s the cache in %s: %s".formatted(verb, files.root, CacheFiles.reason(e)), e);
        }
    }

    @Override
    public String toString() {
        return "cache in " + files.root;
    }
}
