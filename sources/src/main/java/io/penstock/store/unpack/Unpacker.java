package io.penstock.store.unpack;

import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.FileErrors;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.Notice;
import io.penstock.internal.Thrown;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.FileState;
import io.penstock.store.internal.FolderFiles;
import io.penstock.store.internal.ReadThreads;
import io.penstock.store.internal.StoreInput;
import io.penstock.store.internal.Waiting;
import io.penstock.store.internal.copy.BlockSums;
import io.penstock.store.internal.copy.CopyTurns;
import io.penstock.store.internal.copy.DamagedCopyException;
import io.penstock.store.internal.copy.LocalCopy;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Makes compressed files addressable: decompresses them once, whole, into a folder or into memory.
 *
 * <p>Why not an index of points to begin at: the JDK's inflater cannot begin inside a byte, where a gzip block usually
 * does, zstd writes one frame a file, and each sample would decompress half the distance between two points. What
 * shards hold (JPEG, other archives' parts) hardly shrinks anyway, so the copy is about as large as what it is made
 * from.
 *
 * <p>Files are compressed if their names end in gz, tgz, zst, zstd, tzst, zz or zlib; others are taken as they are. In a
 * folder, a copy is named by the place and the state of its source; a later run uses it, and a copy of another state
 * replaces it. Copies appear whole (written under another name, then moved), so any number of processes may share the
 * folder; a copy is made once for all of them, unless that takes longer than ten minutes. A copy has checksums of its
 * blocks beside it, against which each block is compared when it is first read. One that is damaged, or has none, is
 * made again from its source.
 *
 * <p>Bounded: all copies in the folder together, or all that one unpacker made in memory, take {@link #maxBytes} at
 * most (and a few windows more where several are written at once); what would take more fails. Memory while it
 * decompresses into a folder: a few windows.
 */
public final class Unpacker {

    /** Unpacked bytes are in a buffer that doubles, and at the end in a copy of it. */
    private static final long MAX_IN_MEMORY = HeapLimit.of(1L << 30, 3);

    private static final long MAX_IN_FOLDER = 256L << 30;
    private static final String SUFFIX = ".unpacked";
    private static final String PARTIAL = ".tmp";
    private static final String PARTIAL_PREFIX = "partial-";
    private static final String LOCKS = ".penstock-unpack-turns";
    private static final Logger LOG = LoggerFactory.getLogger(Unpacker.class);
    private static final int STEP = 64 * 1024;
    private static final int MEASURED_EVERY = 16 << 20;
    private static final Duration FRESH = Duration.ofMinutes(1);
    private static final Duration MAX_WAITED = Duration.ofMinutes(10);

    private final @Nullable Path folder;
    private final long maxBytes;
    private final AtomicLong inMemory = new AtomicLong();
    private final Object opening = new Object();
    private @Nullable Opened opened; // guarded by it

    private Unpacker(@Nullable Path folder, long maxBytes) {
        this.folder = folder;
        this.maxBytes = maxBytes;
    }

    /** Decompresses into memory: 1 GiB at most unless set, or what the heap has room for, of all files together. */
    public static Unpacker inMemory() {
        return new Unpacker(null, MAX_IN_MEMORY);
    }

    /** Decompresses into files of a folder, which is made if there is none; 256 GiB together at most unless set. */
    public static Unpacker into(Path folder) {
        return new Unpacker(folder, MAX_IN_FOLDER);
    }

    /**
     * Another limit.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public Unpacker maxBytes(long bytes) {
        Arguments.refuse(bytes < 1, "limit of unpacked bytes must be at least 1, was %s", bytes);
        return new Unpacker(folder, bytes);
    }

    /**
     * The file itself if it is not compressed, else its bytes decompressed. Blocks until they are there.
     * @throws FormatException if it is not what its name says, broken or cut off
     * @throws StoreException if it cannot be read, the copy cannot be written, or there is no room for it
     */
    public StoreFile unpack(Store store, StoreEntry entry) {
        FileCompression packing = FileCompression.of(entry.key());
        if (packing == FileCompression.NONE) {
            return new StoreFile(store, entry);
        }
        return folder == null ? toMemory(packing, store, entry) : toFolder(packing, store, entry, folder);
    }

    /**
     * The copies in a folder whose bytes do not match their checksums, or that have none. Reads them all, and blocks.
     * @throws StoreException if one cannot be read
     */
    public static List<Path> damaged(Path folder) {
        return FolderFiles.damaged(
                folder,
                "*" + SUFFIX,
                copy -> !FileNames.of(copy).startsWith(BlockSums.PREFIX) && !BlockSums.areRight(copy));
    }

    private StoreFile toMemory(FileCompression packing, Store store, StoreEntry entry) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        long before = inMemory.get();
        long max = Math.min(maxBytes - before, HeapLimit.MAX_ARRAY);
        copy(
                packing,
                store,
                entry,
                step -> bytes.write(step.array(), step.arrayOffset(), step.limit()),
                written -> written <= max);
        if (inMemory.addAndGet(bytes.size()) > maxBytes) {
            inMemory.addAndGet(-bytes.size());
            throw noRoom(store, entry); // others have taken it since
        }
        return StoreFile.inMemory(store.location(), entry.key(), bytes.toByteArray());
    }

    private StoreFile toFolder(FileCompression packing, Store store, StoreEntry entry, Path folder) {
        String source = "%016x"
                .formatted(
                        SampleKey.of("unpacked", store.location(), entry.key()).high());
        String state = "%016x"
                .formatted(SampleKey.of(source)
                        .with(entry.size())
                        .with(entry.version())
                        .high());
        Opened opened = open(entry, folder);
        Mono<StoreEntry> look = blocking(entry, folder, () -> find(opened.files, folder, source, state));
        Mono<StoreEntry> make = blocking(entry, folder, () -> {
            Path made = write(packing, store, entry, folder, source + "-" + state + "-");
            removeOthers(folder, source, made);
            return opened.files.entry(made);
        });
        // a process that waits for too long does the work itself
        Mono<StoreEntry> copy = opened.turns.once(source + state, look, make).switchIfEmpty(make);
        StoreEntry first = Waiting.forValue(copy);
        return new StoreFile(new UnpackedFile(opened.files, first, copy, this::discard), first);
    }

    private static <T> Mono<T> blocking(StoreEntry entry, Path folder, Callable<@Nullable T> work) {
        return Mono.<T>fromCallable(Thrown.callable(work))
                .onErrorMap(IOException.class, e -> cannotUnpack(entry.key(), folder, e))
                .subscribeOn(ReadThreads.SHARED);
    }

    /** Removes a copy whose bytes are wrong; one that could not be read for another reason stays. */
    private void discard(StoreEntry copy, StoreException failure) {
        if (folder != null && failure.getCause() instanceof DamagedCopyException damage) {
            Notice.warn(
                    LOG,
                    "unpacking a file again, since its copy {} in {} is damaged: {}",
                    copy.key(),
                    folder,
                    damage.getMessage());
            Path path = folder.resolve(copy.key());
            try {
                if (FileState.of(path).isAsListed(copy.size(), copy.version())) { // else it was made again since
                    BlockSums.delete(path);
                }
            } catch (NoSuchFileException e) {
                // another read has removed it
            } catch (IOException e) {
                throw cannotUnpack(copy.key(), folder, e);
            }
        }
    }

    private static StoreException cannotUnpack(String key, Path folder, IOException cause) {
        return new StoreException(
                "cannot unpack %s into %s: %s".formatted(key, folder, FileErrors.reason(cause)), cause);
    }

    /** One store for all copies, which bounds how many are open, and the turns to make them. */
    private record Opened(FileStore files, CopyTurns<StoreEntry> turns) {}

    private Opened open(StoreEntry entry, Path folder) {
        synchronized (opening) {
            Opened known = opened;
            if (known != null) {
                return known;
            }
            try {
                Files.createDirectories(folder);
                FileStore files = FileStore.ofCopies(folder, ReadThreads.SHARED);
                known = new Opened(files, new CopyTurns<>(folder.resolve(LOCKS), MAX_WAITED));
                opened = known;
                return known;
            } catch (IOException e) {
                throw cannotUnpack(entry.key(), folder, e);
            }
        }
    }

    /** The copy of a state, whose length is part of its name: one of another length, or without checksums, is none. */
    private static @Nullable StoreEntry find(FileStore files, Path folder, String source, String state)
            throws IOException {
        for (Path copy : FolderFiles.list(folder, source + "-" + state + "-*" + SUFFIX)) {
            long size = Files.isRegularFile(copy) ? Files.size(copy) : -1;
            if (FileNames.of(copy).endsWith("-" + size + SUFFIX) && BlockSums.areThere(copy, size)) {
                return files.entry(copy);
            }
        }
        return null;
    }

    private Path write(FileCompression packing, Store store, StoreEntry entry, Path folder, String name)
            throws IOException {
        removeLeft(folder);
        try (LocalCopy copy = LocalCopy.begin(folder, nonce -> PARTIAL_PREFIX + nonce + PARTIAL)) {
            copy(packing, store, entry, copy::append, new Room(folder, maxBytes));
            Path made = folder.resolve(name + copy.size() + SUFFIX);
            copy.moveTo(made);
            return made;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * The bytes left in a folder of whole and partial copies, measured at intervals, since others write there too.
     */
    private static final class Room implements LongPredicate {
        private final Path folder;
        private final long max;
        private long measuredAt = -1;
        private long allowed;

        Room(Path folder, long max) {
            this.folder = folder;
            this.max = max;
        }

        @Override
        public boolean test(long written) {
            if (measuredAt < 0 || written - measuredAt >= MEASURED_EVERY) {
                measuredAt = Math.max(0, written - STEP); // about what is on the disk of this one
                allowed = max - used(folder) + measuredAt;
            }
            return written <= allowed;
        }
    }

    private static long used(Path folder) {
        try {
            // nothing for one that has been moved since
            return FolderFiles.list(folder, "*{" + SUFFIX + "," + PARTIAL + "}").stream()
                    .mapToLong(copy -> copy.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes what a killed process left unfinished. One that has just been made may not be locked yet. */
    private static void removeLeft(Path folder) throws IOException {
        Instant before = Instant.now().minus(FRESH);
        for (Path file : FolderFiles.list(folder, "*")) {
            String name = FileNames.of(file);
            boolean partial = name.startsWith(PARTIAL_PREFIX) && name.endsWith(PARTIAL);
            if ((partial || BlockSums.isLeft(file))
                    && Instant.ofEpochMilli(file.toFile().lastModified()).isBefore(before)
                    && (!partial || LocalCopy.isLeft(file))) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static void removeOthers(Path folder, String source, Path kept) throws IOException {
        for (Path copy : FolderFiles.list(folder, source + "-*" + SUFFIX)) {
            if (!copy.equals(kept)) {
                BlockSums.delete(copy);
            }
        }
    }

    /** Takes unpacked bytes. */
    private interface Sink {
        void append(ByteBuffer bytes) throws IOException;
    }

    private void copy(FileCompression packing, Store store, StoreEntry entry, Sink out, LongPredicate fits) {
        long written = 0;
        try (StoreInput packed = StoreInput.of(store, entry);
                InputStream plain = packing.open(packed)) {
            byte[] step = new byte[STEP];
            for (int count = plain.read(step); count >= 0; count = plain.read(step)) {
                written += count;
                if (!fits.test(written)) {
                    throw noRoom(store, entry);
                }
                keep(out, ByteBuffer.wrap(step, 0, count));
            }
        } catch (IOException e) {
            throw new FormatException(
                    "%s in %s cannot be unpacked as %s: %s after %d bytes"
                            .formatted(entry.key(), store.location(), packing, reason(e), written),
                    e);
        }
    }

    private StoreException noRoom(Store store, StoreEntry entry) {
        return new StoreException(
                "cannot unpack %s in %s: it does not fit into the %d bytes allowed for all copies; raise the limit%s"
                        .formatted(
                                entry.key(),
                                store.location(),
                                maxBytes,
                                folder == null ? ", or -Xmx, or name a folder for them" : ""));
    }

    private static String reason(IOException failure) {
        return failure instanceof EOFException ? "it ends too early" : FileErrors.reason(failure);
    }

    /** A method of its own, so that a full disk is not reported as a broken file. */
    private static void keep(Sink out, ByteBuffer bytes) {
        try {
            out.append(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
