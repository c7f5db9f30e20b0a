package io.penstock.cache.chronicle.internal;

import io.penstock.internal.AccessFaults;
import io.penstock.internal.Notice;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Reads what other processes append to their logs, when a shared counter says that there is something. */
public final class PeerTail {

    private static final Logger LOG = LoggerFactory.getLogger(PeerTail.class);

    private final CacheFiles files;
    private final Segments segments;
    private final SharedCounters counters;
    private final LogWriter writer;
    private final Watch watch;
    private final AccessFaults faults = new AccessFaults();
    private final SegmentScanner walk;
    private final ReentrantLock one = new ReentrantLock();
    private final Map<Path, Segment> known = new HashMap<>();
    private final Set<Path> told = new HashSet<>();
    private final AtomicLong seen;
    private long changesSeen = -1;
    private boolean allFinished;
    private volatile boolean stopped;

    /** @param seen how many appended entries of all processes are known here; the writer adds its own */
    public PeerTail(
            CacheFiles files,
            DiskIndex index,
            Segments segments,
            SharedCounters counters,
            LogWriter writer,
            Watch watch,
            AtomicLong seen) {
        this.files = files;
        this.watch = watch;
        this.segments = segments;
        this.counters = counters;
        this.writer = writer;
        this.walk = new SegmentScanner(index);
        this.seen = seen;
    }

    public boolean isBehind() {
        return !stopped && counters.appended() != seen.get();
    }

    /**
     * Completes once all that was appended before can be found here; immediately, on this thread, if nothing is new.
     */
    public Mono<Void> catchUp() {
        return Mono.defer(() -> isBehind()
                ? Mono.<Void>fromRunnable(this::follow)
                        .subscribeOn(Schedulers.boundedElastic())
                        .publishOn(Schedulers.parallel())
                : Mono.empty());
    }

    /** Reads on; blocks while another thread does. */
    public void follow() {
        one.lock();
        try {
            read();
        } catch (IOException e) {
            Notice.warn(LOG, "cannot read what other processes cached: {}", e.toString());
        } finally {
            one.unlock();
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

    /**
     * Reads all logs.
     * @param finished whether no process appends to any of them
     */
    public void readAll(boolean finished) throws IOException {
        one.lock();
        try {
            allFinished = finished;
            read();
            allFinished = false;
        } finally {
            one.unlock();
        }
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
                walk(segment);
            }
        }
        seen.accumulateAndGet(appended, Math::max); // the writer may have moved it past this
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

    private void walk(Segment segment) {
        try {
            walk.on(segment);
            faults.raise();
        } catch (InternalError e) { // perhaps of another one, in which an older value of a key lies
            if (!watch.loseShortened()) {
                watch.lose(segment, e.toString());
            }
        }
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
                for (int i = 0; i < ofLog.size(); i++) {
                    Path file = ofLog.get(i);
                    present.add(file);
                    Segment segment = known.computeIfAbsent(file, segments::add);
                    segment.growing = !allFinished && i == ofLog.size() - 1;
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
