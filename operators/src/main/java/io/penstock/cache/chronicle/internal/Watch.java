package io.penstock.cache.chronicle.internal;

import io.penstock.internal.Notice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks once a second whether the mapped files are still what was verified.
 *
 * <p>A file that is shorter than its mapping is given up: an access after its end is an error. If this process has
 * waited for the disk since the last check (a major page fault), every value's checksum is compared again at its next
 * read: the system does not say which pages were read again.
 * @see <a href="https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html">proc_pid_stat(5)</a>
 */
public final class Watch {

    public static final long PERIOD_MILLIS = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    private static final Path OWN_STATE = Path.of("/proc/self/stat");
    private static final int MAJOR_FAULTS = 9; // of the words after the program's name
    private static final long UNKNOWN = -1;

    /** Going through the index takes at most this share of a thread's time. */
    private static final int ONE_IN = 20;

    private final Segments segments;
    private final DiskIndex index;
    private final SharedCounters counters;
    private final LongSupplier majorFaults;
    private long faultsSeen;
    private long restUntil = System.nanoTime();

    public Watch(Segments segments, DiskIndex index, SharedCounters counters, LongSupplier majorFaults) {
        this.segments = segments;
        this.index = index;
        this.counters = counters;
        this.majorFaults = majorFaults;
        this.faultsSeen = majorFaults.getAsLong();
    }

    /** Confined to one thread. */
    public void look() {
        loseShortened();
        long faults = majorFaults.getAsLong();
        long start = System.nanoTime();
        if (faults != faultsSeen && start - restUntil >= 0) {
            faultsSeen = faults;
            index.uncheck();
            long end = System.nanoTime();
            restUntil = end + (end - start) * (ONE_IN - 1);
        }
    }

    /** Gives up the files that are shorter than their mappings; whether there were any. From any thread. */
    public boolean loseShortened() {
        boolean some = false;
        for (Segment segment : segments.all()) {
            if (segment.isShortened()) {
                some = true;
                lose(segment, "it was cut shorter while it was open");
            }
        }
        counters.leaveIfShortened();
        return some;
    }

    /** Gives up a file that cannot be read any more. */
    void lose(Segment segment, String why) {
        if (index.lose(segment)) {
            Notice.warn(
                    LOG,
                    "cannot read {} any more: {}; the samples in it are loaded again{}",
                    segment.file,
                    why,
                    segment.isShortened() ? "" : ", delete the file when no process has the cache open");
        }
    }

    /**
     * How often this process has waited for a page from the disk; always the same number where the system does not say.
     */
    public static long majorFaults() {
        try {
            String state = Files.readString(OWN_STATE);
            String[] words = state.substring(state.lastIndexOf(')') + 1).trim().split(" ", -1);
            return Long.parseLong(words[MAJOR_FAULTS]);
        } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
            return UNKNOWN;
        }
    }
}
