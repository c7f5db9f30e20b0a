package io.penstock.store;

import io.penstock.pipeline.StoreException;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The files of a folder, by their path below it.
 *
 * <p>Keys are relative paths with {@code /} between their parts, in UTF-8 whatever the locale. Names that begin with a
 * dot are left out. Links are followed only where they stay under the folder; those that do not, and those that lead in
 * circles, are left out with one warning. Keys with {@code ..}, absolute ones and links that lead out are refused.
 *
 * <p>Files read whole are opened and closed; files read by range stay open, {@value #MOST_OPEN} at most, until the store
 * is closed or becomes unreachable, whichever is first: closing is good manners, not a duty.
 *
 * <p>Blocking reads run on the scheduler given, as few lanes of it as keep up; values are delivered from its threads.
 */
public final class FileStore implements Store, AutoCloseable {

    static final int MOST_OPEN = 128;

    private static final long NANOS = 1_000_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(FileStore.class);
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int FOLDERS_REMEMBERED = 10_000;
    private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;

    private final Path root;
    private final String location;
    private final ReadLanes lanes;
    private final OpenFiles files = new OpenFiles(MOST_OPEN);
    private final Set<String> withinRoot = ConcurrentHashMap.newKeySet();
    private final Cleaner.Cleanable cleanable;

    private FileStore(Path root, Scheduler scheduler) {
        this.root = root;
        this.location = FileNames.ofAll(root);
        this.lanes = new ReadLanes(scheduler);
        OpenFiles toClose = files;
        this.cleanable = CLEANER.register(this, toClose::close);
    }

    /** As {@link #open(Path, Scheduler)}, reading on daemon threads that the process keeps for that. */
    public static FileStore open(Path root) {
        return open(root, ReadThreads.SHARED);
    }

    /**
     * The store of a folder.
     * @param scheduler where reads block; stays the caller's to dispose
     * @throws StoreException if there is no such folder, or it is none
     */
    public static FileStore open(Path root, Scheduler scheduler) {
        try {
            Path real = root.toRealPath();
            if (!Files.isDirectory(real)) {
                throw new StoreException("cannot open %s: not a folder".formatted(root));
            }
            return new FileStore(real, scheduler);
        } catch (IOException e) {
            throw new StoreException("cannot open %s: %s".formatted(root.toAbsolutePath(), FileErrors.reason(e)), e);
        }
    }

    /**
     * The store of the deepest folder that holds all of these files, links resolved.
     * @throws StoreException if one does not exist
     * @throws IllegalArgumentException if there are none, or no folder holds them all
     */
    public static FileStore openAround(List<Path> files) {
        if (files.isEmpty()) {
            throw new IllegalArgumentException("name at least one file");
        }
        Path common = folderOf(files.get(0));
        for (Path file : files) {
            Path folder = folderOf(file);
            while (!folder.startsWith(common)) {
                Path above = common.getParent();
                if (above == null) {
                    throw new IllegalArgumentException("no folder holds both %s and %s".formatted(files.get(0), file));
                }
                common = above;
            }
        }
        return open(common);
    }

    private static Path folderOf(Path file) {
        try {
            Path folder = file.toRealPath().getParent();
            if (folder == null) {
                throw new StoreException("cannot read %s: not a file".formatted(file));
            }
            return folder;
        } catch (IOException e) {
            throw new StoreException("cannot read %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public void list(Visitor visitor) {
        List<String> skipped = FileWalk.visit(root, visitor);
        if (!skipped.isEmpty()) {
            LOG.warn(
                    "left out {} links below {} that lead nowhere, out of it or in a circle; the first is {}",
                    skipped.size(),
                    root,
                    skipped.get(0));
        }
    }

    /**
     * One file of this store, as it is now.
     * @throws StoreException if it cannot be read, is no file, or does not really lie below the root
     */
    public StoreEntry entry(Path file) {
        try {
            Path real = file.toRealPath();
            BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
            if (!attributes.isRegularFile() || !real.startsWith(root)) {
                throw new StoreException("cannot read %s: not a file below %s".formatted(file, root));
            }
            return new StoreEntry(FileNames.key(root, real), attributes.size(), FileWalk.version(attributes));
        } catch (IOException e) {
            throw new StoreException("cannot read %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return lanes.read(() -> readWhole(entry));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        return lanes.read(() -> readRange(entry, offset, length));
    }

    /** The size and the time of the last modification. */
    @Override
    public List<String> state(StoreEntry entry) {
        Instant modified =
                Instant.ofEpochSecond(Math.floorDiv(entry.version(), NANOS), Math.floorMod(entry.version(), NANOS));
        return List.of("size " + entry.size(), "modified " + modified);
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return lanes.read(() -> now(key));
    }

    @Override
    public Mono<ByteBuffer> find(String key, int most) {
        return lanes.read(() -> readNow(key, most));
    }

    @Override
    public <R> Mono<R> find(String key, int most, Function<? super ByteBuffer, ? extends R> made) {
        return lanes.read(() -> {
            ByteBuffer bytes = readNow(key, most);
            return bytes == null ? null : made.apply(bytes);
        });
    }

    @Override
    public <R> Mono<R> read(StoreEntry entry, long offset, int length, Function<? super ByteBuffer, ? extends R> made) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        return lanes.read(() -> made.apply(readRange(entry, offset, length)));
    }

    private @Nullable ByteBuffer readNow(String key, int most) {
        StoreEntry entry = now(key);
        return entry == null ? null : readAtMost(entry, most);
    }

    private @Nullable StoreEntry now(String key) {
        try {
            Path path = FileNames.resolve(root, key);
            if (!Files.exists(path)) {
                return null; // asked first: most chunks of some arrays are missing, and exceptions are dear
            }
            Path real = path.toRealPath();
            if (!real.startsWith(root)) {
                throw FileNames.outside(root, key);
            }
            BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
            return attributes.isRegularFile()
                    ? new StoreEntry(key, attributes.size(), FileWalk.version(attributes))
                    : null;
        } catch (IOException e) {
            throw cannotRead(key, e);
        }
    }

    private ByteBuffer readAtMost(StoreEntry entry, int most) {
        if (entry.size() > most) {
            throw new StoreException("cannot read %s in %s: at most %d bytes are expected, it has %d"
                    .formatted(entry.key(), root, most, entry.size()));
        }
        return readWhole(entry);
    }

    private ByteBuffer readWhole(StoreEntry entry) {
        if (entry.size() > LARGEST_ARRAY) {
            throw new StoreException("cannot read %s in %s: a sample holds at most %d bytes, the file has %d"
                    .formatted(entry.key(), root, LARGEST_ARRAY, entry.size()));
        }
        try {
            OpenFile file = openUnchanged(entry);
            try {
                return readExactly(file, entry, 0, (int) entry.size());
            } finally {
                file.release();
            }
        } catch (IOException e) {
            throw cannotRead(entry.key(), e);
        }
    }

    private ByteBuffer readRange(StoreEntry entry, long offset, int length) {
        try {
            OpenFile file = files.hold(entry, this::openUnchanged);
            try {
                return readExactly(file, entry, offset, length);
            } finally {
                file.release();
            }
        } catch (IOException e) {
            throw cannotRead(entry.key(), e);
        }
    }

    private ByteBuffer readExactly(OpenFile file, StoreEntry entry, long offset, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        file.read(bytes, offset);
        if (bytes.hasRemaining()) {
            throw changed(entry, "has %d or fewer".formatted(offset + bytes.position()));
        }
        return bytes.flip();
    }

    private OpenFile openUnchanged(StoreEntry entry) throws IOException {
        Path path = locate(entry.key());
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (now.isSymbolicLink()) {
            path = path.toRealPath();
            if (!path.startsWith(root)) {
                throw FileNames.outside(root, entry.key());
            }
            now = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        }
        if (!now.isRegularFile()) {
            throw changed(entry, "is no file");
        }
        if (now.size() != entry.size()) {
            throw changed(entry, "has " + now.size());
        }
        if (FileWalk.version(now) != entry.version()) {
            throw changed(entry, "was written at " + now.lastModifiedTime());
        }
        return OpenFile.at(path);
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

    private StoreException cannotRead(String key, IOException failure) {
        return new StoreException("cannot read %s in %s: %s".formatted(key, root, FileErrors.reason(failure)), failure);
    }

    OpenFiles files() {
        return files;
    }

    /** Closes the files held open; reads under way finish, later ones fail. */
    @Override
    public void close() {
        cleanable.clean();
    }

    /** The folder. */
    @Override
    public String toString() {
        return location();
    }
}
