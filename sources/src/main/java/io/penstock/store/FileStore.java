package io.penstock.store;

import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.FileWork;
import io.penstock.internal.Notice;
import io.penstock.pipeline.GroupLoader;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.FileState;
import io.penstock.store.internal.ReadLanes;
import io.penstock.store.internal.ReadThreads;
import io.penstock.store.internal.RecordGroup;
import io.penstock.store.internal.copy.BlockSums;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The files of a folder, by their path below it.
 *
 * <p>Keys are relative paths with {@code /} between their parts, in UTF-8 in every locale. Names that begin with a
 * dot are left out. Links are followed only where they stay under the folder; those that do not, and those that lead in
 * circles, are left out with one warning. Keys with {@code ..}, absolute ones and links that lead out are refused.
 *
 * <p>Files read whole are opened and closed; files read by range stay open, {@value #MAX_OPEN} at most, until the store
 * is closed or becomes unreachable. Closing is optional.
 *
 * <p>A value is read between two looks at its file that find the same state: size, modification time, change time and
 * inode. A file whose size or modification time is not as listed is a {@link StoreException} and never a value. A
 * change of the other two alone (by {@code chmod}, or a hard link) makes the store read again. A file that was changed
 * less than 20 ms ago is read when that time is over (2 s where the file system counts whole seconds): a second write
 * in one tick of its clock would leave no trace.
 *
 * <p>A file of the same size and modification time counts as unchanged. So three writes are not noticed: one whose
 * modification time is set back before the file is opened, one through a mapping until the kernel writes it back, and
 * one that was under way when the file was listed and whose single call lasts longer than the 20 ms.
 *
 * <p>Blocking reads run on the scheduler given, as few lanes of it as keep up; values are delivered from its threads.
 */
public final class FileStore implements LocalStore, AutoCloseable {

    static final int MAX_OPEN = 128;

    private static final Logger LOG = LoggerFactory.getLogger(FileStore.class);
    private static final Cleaner CLEANER = Cleaner.create();

    private final Path root;
    private final String location;
    private final ReadLanes lanes;
    private final FileReads reads;
    private final Cleaner.Cleanable cleanable;

    private FileStore(Path root, boolean ofCopies, Scheduler scheduler) {
        this.root = root;
        this.location = FileNames.ofAll(root);
        this.lanes = new ReadLanes(scheduler);
        OpenFiles files = new OpenFiles(MAX_OPEN);
        this.reads = new FileReads(root, ofCopies, files);
        this.cleanable = CLEANER.register(this, files::close);
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
        return open(root, false, scheduler);
    }

    /** A folder of copies, which are read through their {@link BlockSums}. */
    public static FileStore ofCopies(Path root, Scheduler scheduler) {
        return open(root, true, scheduler);
    }

    private static FileStore open(Path root, boolean ofCopies, Scheduler scheduler) {
        return FileWork.get("cannot open " + root.toAbsolutePath(), () -> {
            Path real = root.toRealPath();
            if (!Files.isDirectory(real)) {
                throw new StoreException("cannot open %s: not a folder".formatted(root));
            }
            return new FileStore(real, ofCopies, scheduler);
        });
    }

    /**
     * The store of the deepest folder that holds all of these files, links resolved.
     * @throws StoreException if one does not exist
     * @throws IllegalArgumentException if there are none, or no folder holds them all
     */
    public static FileStore openAround(List<Path> files) {
        Arguments.refuse(files.isEmpty(), "name at least one file");
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
        return FileWork.get("cannot read " + file, () -> {
            Path folder = file.toRealPath().getParent();
            if (folder == null) {
                throw new StoreException("cannot read %s: not a file".formatted(file));
            }
            return folder;
        });
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public void list(Visitor visitor) {
        List<String> skipped = FileWalk.visit(root, visitor);
        if (!skipped.isEmpty()) {
            Notice.warn(
                    LOG,
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
        return FileWork.get("cannot read " + file, () -> {
            Path real = file.toRealPath();
            BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
            if (!attributes.isRegularFile() || !real.startsWith(root)) {
                throw new StoreException("cannot read %s: not a file below %s".formatted(file, root));
            }
            return new StoreEntry(FileNames.key(root, real), attributes.size(), FileState.version(attributes));
        });
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return lanes.read(() -> reads.whole(entry));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        return lanes.read(() -> reads.range(entry, offset, length));
    }

    /** The size and the time of the last modification. */
    @Override
    public List<String> state(StoreEntry entry) {
        return List.of("size " + entry.size(), "modified " + FileReads.instant(entry.version()));
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return lanes.read(() -> now(key));
    }

    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return entry(line.key());
    }

    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        return lanes.read(() -> readNow(key, max));
    }

    @Override
    public <R> Mono<R> find(String key, int max, Function<? super ByteBuffer, ? extends R> made) {
        return lanes.read(() -> {
            ByteBuffer bytes = readNow(key, max);
            return bytes == null ? null : made.apply(bytes);
        });
    }

    @Override
    public <R> Mono<R> read(StoreEntry entry, long offset, int length, Function<? super ByteBuffer, ? extends R> made) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        return lanes.read(() -> made.apply(reads.range(entry, offset, length)));
    }

    /** A range of an entry. */
    public record Piece(StoreEntry entry, long offset, int length) {

        /** Reads it alone. */
        public Mono<ByteBuffer> readFrom(Store store) {
            return store.read(entry, offset, length);
        }
    }

    /**
     * Reads ranges one after another as one task, with one look at each file, and tells of each before it ends. What is
     * left after a millisecond is read by several threads: the disk is cold, or far.
     */
    public Mono<Void> readAll(List<Piece> pieces, GroupLoader.Receiver<ByteBuffer> receiver) {
        return lanes.read(() -> reads.some(pieces, receiver::wants)).flatMap(some -> {
            some.tell(receiver);
            return RecordGroup.each(
                    some.count(), pieces.size(), i -> pieces.get(i).readFrom(this), receiver);
        });
    }

    private @Nullable ByteBuffer readNow(String key, int max) {
        StoreEntry entry = now(key);
        return entry == null ? null : reads.atMost(entry, max);
    }

    private @Nullable StoreEntry now(String key) {
        try {
            Path path = FileNames.resolve(root, key);
            if (!Files.exists(path)) {
                return null; // checked first: some arrays lack most of their chunks, and exceptions are expensive
            }
            Path real = path.toRealPath();
            if (!real.startsWith(root)) {
                throw FileNames.outside(root, key);
            }
            BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
            return attributes.isRegularFile()
                    ? new StoreEntry(key, attributes.size(), FileState.version(attributes))
                    : null;
        } catch (IOException e) {
            throw reads.cannotRead(key, e);
        }
    }

    OpenFiles files() {
        return reads.files();
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
