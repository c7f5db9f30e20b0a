package io.penstock.store;

import io.penstock.pipeline.FormatException;
import io.penstock.pipeline.SampleKey;
import io.penstock.pipeline.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * Makes compressed files addressable: decompresses them once, whole, into a folder or into memory.
 *
 * <p>Why not an index of points to begin at: the JDK's inflater cannot begin inside a byte, where a gzip block usually
 * does, zstd writes one frame a file, and each sample would decompress half the distance between two points. What shards
 * hold (JPEG, other archives' parts) hardly shrinks anyway, so the copy is about as large as what it is made from.
 *
 * <p>Files are compressed if their names end in gz, tgz, zst, zstd or tzst; others are taken as they are. In a folder, a
 * copy is called by where its source lies and the state that it was in; a later run takes it up, and one of another
 * state replaces it. Copies appear whole (written under another name, then moved), so any number of processes may share
 * the folder; two that begin at the same time both do the work.
 *
 * <p>Bounded: all copies in the folder together, or each one in memory, take {@link #maxBytes} at most, and what would
 * take more fails before it does. Memory while it decompresses into a folder: a few windows.
 */
public final class Unpacker {

    private static final long MOST_IN_MEMORY = 1L << 30;
    private static final long MOST_IN_FOLDER = 256L << 30;
    private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;
    private static final String SUFFIX = ".unpacked";
    private static final int STEP = 64 * 1024;

    private final @Nullable Path folder;
    private final long mostBytes;

    private Unpacker(@Nullable Path folder, long mostBytes) {
        this.folder = folder;
        this.mostBytes = mostBytes;
    }

    /** Decompresses into memory, 1 GiB a file at most unless set. */
    public static Unpacker inMemory() {
        return new Unpacker(null, MOST_IN_MEMORY);
    }

    /** Decompresses into files of a folder, which is made if there is none; 256 GiB together at most unless set. */
    public static Unpacker into(Path folder) {
        return new Unpacker(folder, MOST_IN_FOLDER);
    }

    /**
     * Another limit.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public Unpacker maxBytes(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("limit of unpacked bytes must be at least 1, was " + bytes);
        }
        return new Unpacker(folder, bytes);
    }

    /**
     * The file itself if it is not compressed, else its bytes decompressed. Blocks until they are there.
     * @throws FormatException if it is not what its name says, broken or cut off
     * @throws StoreException if it cannot be read, the copy cannot be written, or there is no room for it
     */
    public StoreFile unpack(Store store, StoreEntry entry) {
        Packing packing = Packing.of(entry.key());
        if (packing == Packing.NONE) {
            return new StoreFile(store, entry);
        }
        return folder == null ? toMemory(packing, store, entry) : toFolder(packing, store, entry, folder);
    }

    private StoreFile toMemory(Packing packing, Store store, StoreEntry entry) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        copy(packing, store, entry, bytes, Math.min(mostBytes, LARGEST_ARRAY));
        return StoreFile.inMemory(store.location(), entry.key(), bytes.toByteArray());
    }

    private StoreFile toFolder(Packing packing, Store store, StoreEntry entry, Path folder) {
        String source = "%016x"
                .formatted(
                        SampleKey.of("unpacked", store.location(), entry.key()).high());
        String state = "%016x"
                .formatted(SampleKey.of(source)
                        .with(entry.size())
                        .with(entry.version())
                        .high());
        try {
            Files.createDirectories(folder);
            Path found = find(folder, source, state);
            if (found == null) {
                found = write(packing, store, entry, folder, source + "-" + state + "-");
                removeOthers(folder, source, found);
            }
            FileStore files = FileStore.open(folder);
            return new StoreFile(files, files.entry(found));
        } catch (IOException e) {
            throw new StoreException(
                    "cannot unpack %s into %s: %s".formatted(entry.key(), folder, FileErrors.reason(e)), e);
        }
    }

    /** The copy of a state, whose length is part of its name: one of another length is no copy. */
    private static @Nullable Path find(Path folder, String source, String state) throws IOException {
        try (DirectoryStream<Path> copies = Files.newDirectoryStream(folder, source + "-" + state + "-*" + SUFFIX)) {
            for (Path copy : copies) {
                String name = String.valueOf(copy.getFileName());
                if (name.endsWith("-" + Files.size(copy) + SUFFIX)) {
                    return copy;
                }
            }
        }
        return null;
    }

    private Path write(Packing packing, Store store, StoreEntry entry, Path folder, String name) throws IOException {
        long room = mostBytes - used(folder);
        Path partial = Files.createTempFile(folder, "partial-", ".tmp");
        try {
            try (OutputStream out = Files.newOutputStream(partial)) {
                copy(packing, store, entry, out, room);
            }
            Path copy = folder.resolve(name + Files.size(partial) + SUFFIX);
            return Files.move(partial, copy, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    private static long used(Path folder) throws IOException {
        long used = 0;
        try (DirectoryStream<Path> copies = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path copy : copies) {
                used += Files.size(copy);
            }
        }
        return used;
    }

    private static void removeOthers(Path folder, String source, Path kept) throws IOException {
        try (DirectoryStream<Path> copies = Files.newDirectoryStream(folder, source + "-*" + SUFFIX)) {
            for (Path copy : copies) {
                if (!copy.equals(kept)) {
                    Files.deleteIfExists(copy);
                }
            }
        }
    }

    private void copy(Packing packing, Store store, StoreEntry entry, OutputStream out, long room) {
        long written = 0;
        try (StoreInput packed = StoreInput.of(store, entry);
                InputStream plain = packing.open(packed)) {
            byte[] step = new byte[STEP];
            for (int count = plain.read(step); count >= 0; count = plain.read(step)) {
                written += count;
                if (written > room) {
                    throw new StoreException(
                            "cannot unpack %s in %s: of %d bytes allowed %d are left, and it has more; raise maxBytes%s"
                                    .formatted(
                                            entry.key(),
                                            store.location(),
                                            mostBytes,
                                            room,
                                            folder == null ? ", or name a folder to unpack into" : ""));
                }
                keep(out, step, count);
            }
        } catch (IOException e) {
            throw new FormatException(
                    "%s in %s cannot be unpacked as %s: %s after %d bytes"
                            .formatted(entry.key(), store.location(), packing, reason(e), written),
                    e);
        }
    }

    private static String reason(IOException failure) {
        return failure instanceof EOFException ? "it ends too early" : FileErrors.reason(failure);
    }

    /** Apart, so that a full disk is not taken for a broken file. */
    private static void keep(OutputStream out, byte[] bytes, int count) {
        try {
            out.write(bytes, 0, count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
