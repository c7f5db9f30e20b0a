package io.penstock.cache.chronicle;

import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.cache.chronicle.internal.ChronicleSettings;
import io.penstock.cache.chronicle.internal.DiskIndex;
import io.penstock.cache.chronicle.internal.FileSystemSpace;
import io.penstock.cache.chronicle.internal.Location;
import io.penstock.cache.chronicle.internal.LogReader;
import io.penstock.cache.chronicle.internal.LogWriter;
import io.penstock.cache.chronicle.internal.Segments;
import io.penstock.cache.chronicle.internal.SharedCounters;
import io.penstock.cache.chronicle.internal.Space;
import io.penstock.cache.chronicle.internal.Watch;
import io.penstock.cache.internal.RamIndex;
import io.penstock.fault.StoreException;
import io.penstock.internal.Notice;
import io.penstock.internal.OptionalLibrary;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a directory as a tier. A process that is alone there recovers what dead processes left, and counts again what
 * is used. Processes that open at the same time take turns.
 */
final class Opener {

    /** Our small files and the directory itself. */
    static final int FIXED_BYTES = 4 * LogWriter.PAGE;

    private static final Logger LOG = LoggerFactory.getLogger(Opener.class);

    private final ChronicleOptions options;
    private final @Nullable Space givenSpace;

    Opener(ChronicleOptions options, @Nullable Space space) {
        this.options = options;
        this.givenSpace = space;
    }

    ChronicleTier open() {
        try {
            requireDirectory();
            if (options.readOnly) {
                return openReadOnly(new CacheFiles(options.directory.toRealPath()));
            }
            OptionalLibrary.CHRONICLE.require(ChronicleTier.class);
            ChronicleSettings.requireFlags();
            requireRoomForOwnFiles();
            CacheFiles files =
                    new CacheFiles(Files.createDirectories(options.directory).toRealPath());
            files.requireFormat(false);
            List<CacheFiles.Strange> strange = files.strangeShared();
            if (strange.isEmpty()) {
                return openAsFarAsPossible(files);
            }
            return openReadOnly(files, strange.get(0));
        } catch (IOException e) {
            throw new StoreException(
                    "cannot open the cache in %s: %s".formatted(options.directory, CacheFiles.reason(e)), e);
        }
    }

    /** Opens a cache that holds values for reading only where it cannot be written to, as on a full disk. */
    private ChronicleTier openAsFarAsPossible(CacheFiles files) throws IOException {
        try {
            return openToUse(files);
        } catch (IOException e) {
            if (files.logs().isEmpty()) {
                throw e;
            }
            return openReadOnly(files, CacheFiles.reason(e));
        }
    }

    private ChronicleTier openReadOnly(CacheFiles files, Object reason) throws IOException {
        Notice.warn(LOG, "the disk cache only reads what it has and takes nothing more, the run goes on: {}", reason);
        return openReadOnly(files);
    }

    private void requireDirectory() throws IOException {
        String what = CacheFiles.strangeness(options.directory, true);
        if (what != null) {
            throw new IOException("it is %s; choose another directory".formatted(what));
        }
    }

    private void requireRoomForOwnFiles() {
        long min = FIXED_BYTES + LogWriter.LOG_BYTES + LogWriter.PAGE;
        if (options.maxBytes > 0 && options.maxBytes < min) {
            throw new IllegalArgumentException(
                    "the cache in %s cannot hold one sample: its own files take %d bytes, and it was allowed %d; allow more"
                            .formatted(options.directory, min, options.maxBytes));
        }
    }

    void clear() {
        if (Files.isDirectory(options.directory)) {
            new CacheDirectory(new CacheFiles(options.directory.toAbsolutePath())).clear();
        }
    }

    private ChronicleTier openReadOnly(CacheFiles files) throws IOException {
        files.requireFormat(false);
        SharedCounters counters = SharedCounters.view(files.control());
        Space space = space(files.root);
        Parts parts = new Parts(files, counters, space, null);
        parts.logs.readAll();
        return new ChronicleTier(parts);
    }

    private ChronicleTier openToUse(CacheFiles files) throws IOException {
        DirectoryLocks locks = DirectoryLocks.open(files);
        try (FileLock opening = locks.opening()) {
            assert opening.isValid();
            boolean alone = locks.isAlone();
            if (!locks.join(!options.evicts)) {
                throw new StoreException(
                        ("cannot open the cache in %s: another process has it open, and a cache that evicts (lru) is"
                                        + " not shared; %s")
                                .formatted(
                                        options.directory,
                                        options.evicts
                                                ? "end that process, or hold instead"
                                                : "end that process, which evicts, or choose another directory"));
            }
            files.requireFormat(true);
            Space space = space(files.root);
            SharedCounters counters = SharedCounters.map(files.control());
            counters.countOpened();
            Parts parts = new Parts(files, counters, space, locks);
            if (alone) {
                locks.takeAllKeys();
                parts.logs.recover(space);
            } else {
                parts.logs.readAll();
            }
            if (options.evicts) {
                parts.logs.stop();
            }
            long budget = budget(space, counters.used());
            counters.noteBudget(budget);
            parts.appends.limit(budget, options.segmentBytesFor(budget));
            return new ChronicleTier(parts);
        } catch (IOException | RuntimeException | Error e) {
            locks.close();
            throw e;
        }
    }

    private Space space(Path root) {
        return givenSpace != null ? givenSpace : new FileSystemSpace(root);
    }

    private long budget(Space space, long held) throws IOException {
        long max = options.maxBytes > 0 ? options.maxBytes : (long) (options.maxFreeShare * (space.free() + held));
        return Math.max(0, max - FIXED_BYTES);
    }

    /** The parts of a tier. */
    final class Parts {
        final CacheFiles files;
        final SharedCounters counters;
        final Space space;
        final @Nullable DirectoryLocks locks;
        final boolean evicts = options.evicts;
        final Segments segments;
        final DiskIndex index;
        final LogWriter writer;
        final Watch watch;
        final LogReader logs;
        final Appends appends;
        final ProvenanceLog provenance;

        Parts(CacheFiles files, SharedCounters counters, Space space, @Nullable DirectoryLocks locks)
                throws IOException {
            this.files = files;
            this.counters = counters;
            this.space = space;
            this.locks = locks;
            long expected = options.maxBytes > 0 ? options.maxBytes : space.free();
            this.provenance = new ProvenanceLog(files.fillings());
            this.segments = new Segments(Location.NUMBERS, evicts);
            this.index = new DiskIndex(RamIndex.forValuesOf(expected), segments, options.verifyEveryRead, evicts);
            this.writer = new LogWriter(files, index, segments, counters, space, evicts);
            this.watch = new Watch(segments, index, counters, Watch::majorFaults);
            this.logs = new LogReader(files, index, segments, counters, writer, watch);
            this.appends = new Appends(this, options);
        }
    }
}
