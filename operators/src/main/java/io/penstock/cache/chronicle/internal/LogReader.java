package io.penstock.cache.chronicle.internal;

import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Notice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Reads the logs of a directory into the index: all of them when it is opened, later what other processes append, when
 * a shared counter says that there is something. A process that is alone there also removes what dead ones left.
 */
public final class LogReader {

    private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);

    private final CacheFiles files;
    private final DiskIndex index;
    private final Segments segments;
    private final SharedCounters counters;
    private final LogWriter writer;
    private final Watch watch;
    private final SegmentScanner scanner;
    private final ReentrantLock one = new ReentrantLock();
    private final Map<Path, Segment> known = new HashMap<>();
    private final Set<Path> told = new HashSet<>();
    private long changesSeen = -1;
    private boolean allFinished;
    private volatile boolean stopped;

    public LogReader(
            CacheFiles files,
            DiskIndex index,
            Segments segments,
            SharedCounters counters,
            LogWriter writer,
            Watch watch) {
        this.files = files;
        this.index = index;
        this.watch = watch;
        this.segments = segments;
        this.counters = counters;
        this.writer = writer;
        this.scanner = new SegmentScanner(index);
    }

    /** Whether other processes have appended what cannot be found here yet. */
    public boolean isBehind() {
        return !stopped && counters.isBehind();
    }

    /**
     * Completes once all that was appended before can be found here; immediately, on this thread, if nothing is new.
     */
    public Mono<Void> catchUp() {
        return Mono.defer(() -> isBehind()
                ? Mono.<Void>fromRunnable(this::follow)
                        .subscribeOn(GuardedScheduler.ELASTIC)
                        .publishOn(GuardedScheduler.PARALLEL)
                : Mono.empty());
    }

    /** Reads on; blocks while another thread does. */
    public void follow() {
        try {
            readAll();
        } catch (IOException e) {
            Notice.warn(LOG, "cannot read what other processes cached: {}", e.toString());
        }
    }

    /** Forgets all files: no other process will change them. */
    public void stop() {
        one.lock();
        try {
            stopped = true;
            known.clear(); // or files that are dropped would stay mapped
        } finally {
            one.unlock();
        }
    }

    /** Reads all logs as far as they go. */
    public void readAll() throws IOException {
        one.lock();
        try {
            read();
        } finally {
            one.unlock();
        }
    }

    /**
     * Reads all logs, to which no process appends, deletes what is not needed of them, and counts again what is used.
     */
    public void recover(Space space) throws IOException {
        removeHeadless();
        counters.reset(0, 0);
        allFinished = true;
        readAll();
        allFinished = false;
        counters.reset(trim(space), index.lastSequence() + 1);
    }

    /** Deletes segments that a process made and did not write to. */
    private void removeHeadless() throws IOException {
        for (Path log : files.logs()) {
            for (Path segment : files.segments(log)) {
                if (isHeadless(segment)) {
                    Files.delete(segment);
                }
            }
        }
    }

    private static boolean isHeadless(Path segment) throws IOException {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.READ)) {
            ByteBuffer word = ByteBuffer.allocate(LogEntry.WORD);
            return channel.read(word, 0) < LogEntry.WORD || word.getInt(0) == 0;
        } catch (AccessDeniedException e) {
            return false; // it stays as it is
        }
    }

    /** Deletes the segments that hold nothing that is needed; the bytes that the others take. */
    private long trim(Space space) throws IOException {
        long used = 0;
        for (Segment segment : segments.all()) {
            if (segments.isSpent(segment)) {
                segments.drop(segment);
                Files.deleteIfExists(segment.file);
            } else {
                long end = segment.needed();
                if (!segment.sealed) {
                    space.trim(segment.file, end, Files.size(segment.file));
                    segment.sealed = true;
                }
                used += end;
            }
        }
        for (Path log : files.logs()) {
            files.deleteIfEmpty(log);
        }
        return used + (long) LogWriter.LOG_BYTES * files.logs().size();
    }

    private void read() throws IOException {
        long appended = counters.appended();
        long changes = counters.changes();
        if (changes != changesSeen) {
            list();
            changesSeen = changes;
        }
        for (Segment segment : known.values()) {
            if (!segment.ended && map(segment)) {
                InternalError cut = scanner.scan(segment);
                // perhaps of another one, in which an older value of a key lies
                if (cut != null && !watch.loseShortened()) {
                    watch.lose(segment, cut.toString());
                }
            }
        }
        counters.see(appended);
    }

    private boolean map(Segment segment) {
        try {
            if (segment.growing || !segment.isMapped()) {
                segment.map();
            }
            return true;
        } catch (NoSuchFileException e) {
            segments.drop(segment); // deleted since it was listed
        } catch (IOException e) {
            watch.lose(segment, CacheFiles.reason(e));
        }
        segment.ended = true;
        return false;
    }

    private void list() throws IOException {
        for (CacheFiles.Strange strange : files.strange()) {
            if (told.add(strange.path())) {
                Notice.warn(LOG, "the disk cache does without what belongs there: {}", strange);
            }
        }
        Set<Path> present = new HashSet<>();
        for (Path log : files.logs()) {
            if (!writer.owns(log)) {
                List<Path> ofLog = files.segments(log);
                for (Path file : ofLog) {
                    present.add(file);
                    Segment segment = known.computeIfAbsent(file, segments::add);
                    segment.growing = !allFinished && file == ofLog.get(ofLog.size() - 1);
                }
            }
        }
        known.entrySet().removeIf(entry -> {
            boolean gone = !present.contains(entry.getKey());
            if (gone) {
                segments.drop(entry.getValue());
            }
            return gone;
        });
    }
}
