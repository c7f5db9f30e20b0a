package io.penstock.store.zip;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.FileWork;
import io.penstock.internal.HeapLimit;
import io.penstock.store.FileStore;
import io.penstock.store.LocalStore;
import io.penstock.store.Manifest;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.FileNames;
import io.penstock.store.internal.FileState;
import io.penstock.store.internal.FileWatch;
import io.penstock.store.internal.ReadLanes;
import io.penstock.store.internal.ReadThreads;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The entries of a zip file, stored or deflated, zip64 too, by their names.
 *
 * <p>Opening reads the central directory whole and checks it: a file that is cut off is refused, and one with bytes before
 * the archive, as where archives were joined by {@code cat}. Of entries with equal
 * names the last one counts, since writers such as zarr-python 2 change an entry by appending it again. Names are only
 * names here, so {@code ..} in one leads nowhere. Versions are the entries' checksums, and a whole entry's bytes are
 * checked against them. A range of a deflated entry inflates all that comes before it; store what is read by range.
 *
 * <p>Blocking reads run on the scheduler given, as few lanes of it as keep up; values are delivered from its threads.
 * Closing gives the file back at once. It is optional: it is given back, too, when the store is no longer reachable. A
 * zip file that is written to or replaced while it is open is a {@link StoreException}, as {@link FileStore} says it.
 */
public final class ZipStore implements LocalStore, AutoCloseable {

    private static final Cleaner CLEANER = Cleaner.create();
    private static final String NOT_UTF_8 = "an entry's name or comment is not UTF-8: ";

    /** How the JDKs that look at the text of a zip file as they open it say so; earlier ones throw when it is read. */
    private static final String BAD_TEXT = "bad entry name";

    private static final int MAX_READS = 4;

    /** What ends an archive, without its comment. */
    private static final int END_BYTES = 22;

    private static final int END_MARK = 0x06054b50;
    private static final int MAX_COMMENT = 0xFFFF;

    /** What lies before that end in zip64: a record, and where it is. */
    private static final int RECORD_BYTES = 56;

    private static final int LOCATOR_BYTES = 20;
    private static final int LOCATOR_MARK = 0x07064b50;

    private final String location;
    private final ZipFile zip;
    private volatile @Nullable FileWatch watch; // null for a copy, whose name may be gone
    private final Map<String, StoreEntry> entries;
    private final ReadLanes lanes;
    private final Cleaner.Cleanable cleanable;

    private ZipStore(
            String location,
            ZipFile zip,
            @Nullable FileWatch watch,
            Map<String, StoreEntry> entries,
            Scheduler scheduler) {
        this.location = location;
        this.zip = zip;
        this.watch = watch;
        this.entries = entries;
        this.lanes = new ReadLanes(scheduler);
        this.cleanable = CLEANER.register(this, () -> close(zip));
    }

    /**
     * The store of a zip file, which reads as {@link FileStore#open(Path)} does; see {@link #open(Path, Scheduler)}.
     */
    public static ZipStore open(Path file) {
        return open(file, ReadThreads.SHARED);
    }

    /**
     * The store of a zip file.
     * @param scheduler where reads block; stays the caller's to dispose
     * @throws StoreException if there is no such file, or its central directory is broken
     */
    public static ZipStore open(Path file, Scheduler scheduler) {
        return open(file, null, scheduler);
    }

    private static ZipStore open(Path file, @Nullable String place, Scheduler scheduler) {
        ZipFile zip = null;
        try {
            Path real = file.toRealPath();
            String location = place == null ? FileNames.ofAll(real) : place;
            FileState state = FileState.of(real);
            if (!state.isFile()) {
                throw new StoreException("cannot open %s: not a file".formatted(file.toAbsolutePath()));
            }
            state.settle();
            zip = new ZipFile(real.toFile());
            requireNothingBefore(real);
            FileWatch watch = place == null ? new FileWatch(real, state) : null;
            return new ZipStore(location, zip, watch, entries(zip), scheduler);
        } catch (ZipException e) {
            close(zip);
            String reason = String.valueOf(e.getMessage());
            String meaning = reason.contains(BAD_TEXT) ? NOT_UTF_8 : "no zip archive, or one that is cut off: ";
            throw refused(file, meaning + reason, e);
        } catch (IOException e) {
            close(zip);
            throw refused(file, FileErrors.reason(e), e);
        } catch (IllegalArgumentException e) {
            close(zip);
            throw refused(file, NOT_UTF_8 + e.getMessage(), e);
        } catch (RuntimeException e) {
            close(zip);
            throw e;
        }
    }

    /** The JDK passes over bytes before an archive. Where archives were joined, those are all entries but the last one's. */
    private static void requireNothingBefore(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            long from = Math.max(0, channel.size() - END_BYTES - MAX_COMMENT);
            ByteBuffer tail = ByteBuffer.allocate((int) (channel.size() - from)).order(ByteOrder.LITTLE_ENDIAN);
            while (tail.hasRemaining() && channel.read(tail, from + tail.position()) > 0) {}
            for (int at = tail.position() - END_BYTES; at >= 0; at--) {
                boolean ends = tail.getInt(at) == END_MARK
                        && at + END_BYTES + (tail.getShort(at + 20) & MAX_COMMENT) == tail.position();
                if (ends) {
                    int locator = at - LOCATOR_BYTES;
                    long before = locator >= 0 && tail.getInt(locator) == LOCATOR_MARK
                            ? from + locator - RECORD_BYTES - tail.getLong(locator + 8)
                            : from
                                    + at
                                    - Integer.toUnsignedLong(tail.getInt(at + 12))
                                    - Integer.toUnsignedLong(tail.getInt(at + 16));
                    if (before > 0) {
                        throw new ZipException(("its first %d bytes are not of this archive, as where archives were"
                                        + " joined; unpack each, and write one archive")
                                .formatted(before));
                    }
                    return;
                }
            }
        }
    }

    private static StoreException refused(Path file, String reason, Exception cause) {
        return new StoreException("cannot open %s: %s".formatted(file.toAbsolutePath(), reason), cause);
    }

    /**
     * The store of a zip file that is a copy of one elsewhere, and is known by that place: keys and fingerprints are
     * the same wherever the copy lies. The copy is the caller's own: it may be deleted once it is open, and is not to
     * be changed. Reads as {@link FileStore#open(Path)} does.
     * @param location of what was copied
     * @throws StoreException as {@link #open(Path, Scheduler)}
     */
    public static ZipStore openCopy(Path file, String location) {
        return open(file, location, ReadThreads.SHARED);
    }

    private static Map<String, StoreEntry> entries(ZipFile zip) {
        Map<String, StoreEntry> entries = new HashMap<>();
        for (ZipEntry entry : Collections.list(zip.entries())) {
            if (entry.isDirectory()) {
                continue;
            }
            // of equal names the last one, which is the one that getEntry finds too
            entries.put(entry.getName(), new StoreEntry(entry.getName(), entry.getSize(), entry.getCrc()));
        }
        return entries;
    }

    private static void close(@Nullable ZipFile zip) {
        if (zip != null) {
            FileWork.run("cannot close a file", zip::close);
        }
    }

    /** Whether an entry is there and not compressed, so that a range of it is read without what comes before. */
    public boolean isStored(String key) {
        ZipEntry entry = entries.containsKey(key) ? zip.getEntry(key) : null; // which encodes the key
        return entry != null && entry.getMethod() == ZipEntry.STORED;
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public void list(Visitor visitor) {
        for (String key : List.copyOf(entries.keySet())) {
            StoreEntry entry = Objects.requireNonNull(entries.get(key));
            visitor.file(key, entry.size(), entry.version());
        }
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return lanes.read(() -> whole(entry));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        return lanes.read(() -> range(entry, offset, length));
    }

    @Override
    public <R> Mono<R> read(StoreEntry entry, long offset, int length, Function<? super ByteBuffer, ? extends R> made) {
        Objects.checkFromToIndex(offset, offset + length, entry.size());
        return lanes.read(() -> made.apply(range(entry, offset, length)));
    }

    @Override
    public Mono<StoreEntry> entry(String key) {
        return Mono.justOrEmpty(entries.get(key));
    }

    @Override
    public Mono<StoreEntry> entry(Manifest.Line line) {
        return entry(line.key());
    }

    @Override
    public List<String> state(StoreEntry entry) {
        return entry.state();
    }

    @Override
    public Mono<ByteBuffer> find(String key, int max, int maxLine) {
        StoreEntry entry = entries.get(key);
        if (entry == null) {
            return Mono.empty();
        }
        return lanes.read(() -> atMost(entry, max));
    }

    @Override
    public <R> Mono<R> find(String key, int max, Function<? super ByteBuffer, ? extends R> made) {
        StoreEntry entry = entries.get(key);
        return entry == null ? Mono.empty() : lanes.read(() -> made.apply(atMost(entry, max)));
    }

    private ByteBuffer atMost(StoreEntry entry, int max) {
        if (entry.size() > max) {
            throw new StoreException("cannot read %s in %s: at most %d bytes are expected, it has %d"
                    .formatted(entry.key(), location, max, entry.size()));
        }
        return whole(entry);
    }

    private ByteBuffer whole(StoreEntry entry) {
        if (entry.size() > HeapLimit.MAX_ARRAY) {
            throw new StoreException("cannot read %s in %s: a sample holds at most %d bytes, the entry has %d"
                    .formatted(entry.key(), location, HeapLimit.MAX_ARRAY, entry.size()));
        }
        byte[] bytes = unchanged(entry, 0, (int) entry.size());
        CRC32 crc = new CRC32();
        crc.update(bytes);
        if (crc.getValue() != entry.version()) {
            throw new StoreException("%s in %s is damaged: its checksum is %08x, its bytes have %08x"
                    .formatted(entry.key(), location, entry.version(), crc.getValue()));
        }
        return ByteBuffer.wrap(bytes);
    }

    private ByteBuffer range(StoreEntry entry, long offset, int length) {
        if (length == entry.size()) {
            return whole(entry);
        }
        return ByteBuffer.wrap(unchanged(entry, offset, length));
    }

    /**
     * A range, read between two looks at the zip file that find it as it was opened; another range's look may serve.
     */
    private byte[] unchanged(StoreEntry entry, long offset, int length) {
        try {
            for (int count = 1; count <= MAX_READS; count++) {
                FileWatch before = watch;
                byte[] bytes = bytes(entry, offset, length);
                if (before == null || before.isUnchangedSince(System.nanoTime())) {
                    return bytes;
                }
                FileWatch now = before.again();
                if (now == null) {
                    break;
                }
                watch = now;
            }
        } catch (IOException e) {
            throw new StoreException(
                    "cannot read %s in %s: %s".formatted(entry.key(), location, FileErrors.reason(e)), e);
        }
        throw new StoreException(
                "cannot read %s: %s changed since it was opened; open the data again".formatted(entry.key(), location));
    }

    private byte[] bytes(StoreEntry entry, long offset, int length) {
        if (!entry.equals(entries.get(entry.key()))) {
            throw new StoreException("no such entry in %s: %s".formatted(location, entry.key()));
        }
        // an entry that claims a size takes that much only once its bytes are there
        try (InputStream in = zip.getInputStream(zip.getEntry(entry.key()))) {
            in.skipNBytes(offset);
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw new StoreException("%s in %s ends early: has %d bytes, its size is %d"
                        .formatted(entry.key(), location, offset + bytes.length, entry.size()));
            }
            return bytes;
        } catch (EOFException e) {
            throw new StoreException("%s in %s lies beyond the end of the file".formatted(entry.key(), location), e);
        } catch (IOException e) {
            throw new StoreException(
                    "cannot read %s in %s: %s".formatted(entry.key(), location, FileErrors.reason(e)), e);
        } catch (IllegalStateException e) {
            throw new StoreException("cannot read %s in %s: %s".formatted(entry.key(), location, e.getMessage()), e);
        }
    }

    /** Closes the file; later reads fail. */
    @Override
    public void close() {
        cleanable.clean();
    }

    /** The file. */
    @Override
    public String toString() {
        return location;
    }
}
