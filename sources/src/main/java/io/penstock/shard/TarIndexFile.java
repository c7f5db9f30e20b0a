package io.penstock.shard;

import io.penstock.cache.SampleKey;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.Crc32c;
import io.penstock.internal.FileWork;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.Notice;
import io.penstock.store.internal.FolderFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index of one archive in a file of its own, so that only a changed archive is indexed again.
 *
 * <pre>
 *  magic i64, version i32, CRC32C of what follows i32,
 *  the archive's place and state i64 i64, its length i64, files n i32, length of all names i32, zero i32,
 *  zero i64; offsets n × i64, lengths n × i64, ends of names n × i32; names
 * </pre>
 *
 * <p>Big-endian. Written under another name, then moved: a reader finds all of it or none. One that is not as it should
 * be is no index, and is made again.
 */
final class TarIndexFile {

    private static final Logger LOG = LoggerFactory.getLogger(TarIndexFile.class);
    private static final long MAGIC = 0x50454E5354415249L; // PENSTARI
    private static final String SUFFIX = ".tarindex";
    private static final int VERSION = 2; // 1 ended at the first end mark
    private static final int CHECKED_FROM = 16;
    private static final int COUNTS_AT = CHECKED_FROM + 3 * Long.BYTES;
    private static final int FIXED = COUNTS_AT + 3 * Integer.BYTES + Long.BYTES;
    private static final int A_FILE = 2 * Long.BYTES + Integer.BYTES;

    private final Path file;
    private final SampleKey source;
    private final long archiveBytes;

    /**
     * @param source       where the archive lies and what state it is in
     * @param archiveBytes its length, decompressed: no file lies beyond it
     */
    TarIndexFile(Path folder, SampleKey place, SampleKey source, long archiveBytes) {
        this.file = folder.resolve(("%016x%016x" + SUFFIX).formatted(place.high(), place.low()));
        this.source = source;
        this.archiveBytes = archiveBytes;
    }

    /** The index, if there is one of the archive's present state. */
    @Nullable TarIndex read() {
        try {
            ByteBuffer bytes = bytes(file);
            String wrong = check(bytes);
            if (wrong == null) {
                return parse(bytes);
            }
            LOG.info("making the index of an archive again, since {} {}", file, wrong);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            Notice.warn(LOG, "making the index of an archive again, since {} cannot be read: {}", file, e.toString());
        }
        return null;
    }

    /**
     * The bytes of a file, or its head alone where it does not have the length that this says, so that no other file
     * takes memory; of a pipe or a device none, since they might never end.
     */
    private static ByteBuffer bytes(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            return ByteBuffer.allocate(0);
        }
        ByteBuffer head;
        try (InputStream in = Files.newInputStream(file)) {
            head = ByteBuffer.wrap(in.readNBytes(FIXED));
        }
        if (head.limit() < FIXED) {
            return head;
        }
        long said = FIXED
                + (long) A_FILE * head.getInt(COUNTS_AT)
                + head.getInt(COUNTS_AT + 4)
                + head.getInt(COUNTS_AT + 8);
        boolean isWhole = said == Files.size(file) && said <= HeapLimit.MAX_ARRAY;
        return isWhole ? ByteBuffer.wrap(Files.readAllBytes(file)) : head;
    }

    private static @Nullable String checkHead(ByteBuffer bytes) {
        if (bytes.limit() < FIXED || bytes.getLong() != MAGIC) {
            return "is no index";
        }
        if (bytes.getInt() != VERSION) {
            return "is of another version";
        }
        return bytes.getInt() == Crc32c.of(bytes) ? null : "is damaged";
    }

    private @Nullable String check(ByteBuffer bytes) {
        String wrong = checkHead(bytes);
        if (wrong != null) {
            return wrong;
        }
        if (bytes.getLong() != source.high() || bytes.getLong() != source.low() || bytes.getLong() != archiveBytes) {
            return "is of another state of it";
        }
        return null;
    }

    private @Nullable TarIndex parse(ByteBuffer bytes) {
        int count = bytes.getInt();
        int named = bytes.getInt();
        boolean isWhole = bytes.getInt() == 0 && bytes.getLong() == 0; // not of one with sparse files, or with damage
        if (!isWhole || Math.min(count, named) < 0 || (long) A_FILE * count + named != bytes.remaining()) {
            return null;
        }
        long[] offsets = new long[count];
        long[] lengths = new long[count];
        int[] nameEnds = new int[count];
        bytes.asLongBuffer().get(offsets).get(lengths);
        bytes.position(bytes.position() + 2 * Long.BYTES * count);
        bytes.asIntBuffer().get(nameEnds);
        bytes.position(bytes.position() + Integer.BYTES * count);
        if (!isSound(offsets, lengths, nameEnds, named)) {
            return null;
        }
        byte[] names = new byte[named];
        bytes.get(names);
        return new TarIndex(offsets, lengths, nameEnds, names, null);
    }

    private boolean isSound(long[] offsets, long[] lengths, int[] nameEnds, int named) {
        int end = 0;
        for (int i = 0; i < offsets.length; i++) {
            if (offsets[i] < 0
                    || lengths[i] < 0
                    || lengths[i] > archiveBytes - offsets[i]
                    || nameEnds[i] < end
                    || nameEnds[i] > named) {
                return false;
            }
            end = nameEnds[i];
        }
        return end == named;
    }

    /** The indexes in a folder that are not as they were written. */
    static List<Path> damaged(Path folder) {
        return FolderFiles.damaged(folder, "*" + SUFFIX, file -> checkHead(bytes(file)) != null);
    }

    /** Keeps an index. @throws StoreException if it cannot be written */
    void write(TarIndex index) {
        int count = index.size();
        long size = FIXED + (long) A_FILE * count + index.names().length;
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(size));
        bytes.putLong(MAGIC).putInt(VERSION).putInt(0);
        bytes.putLong(source.high()).putLong(source.low()).putLong(archiveBytes).putInt(count);
        bytes.putInt(index.names().length).putInt(0).putLong(0);
        bytes.asLongBuffer().put(index.offsets()).put(index.lengths());
        bytes.position(bytes.position() + 2 * Long.BYTES * count);
        bytes.asIntBuffer().put(index.nameEnds());
        bytes.position(bytes.position() + Integer.BYTES * count);
        bytes.put(index.names()).flip();
        bytes.putInt(CHECKED_FROM - Integer.BYTES, Crc32c.of(bytes.position(CHECKED_FROM)));
        FileWork.run("cannot keep the index of an archive in " + file, () -> {
            Path partial = file.toAbsolutePath().resolveSibling("partial-%s.tmp".formatted(UUID.randomUUID()));
            AtomicFile.write(file, partial, bytes.array());
        });
    }
}
