package io.penstock.store;

import io.penstock.internal.CallerThread;
import io.penstock.internal.FileWork;
import io.penstock.store.internal.FileState;
import io.penstock.store.internal.FileWatch;
import io.penstock.store.internal.copy.BlockSums;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A file open for positional reads by any number of threads, closed when the last of its holders releases it. */
final class OpenFile {

    /** At most so much is read at once: the JDK keeps a direct buffer as large as the largest read for every thread. */
    private static final int LARGEST_READ = 256 * 1024;

    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

    private final AsynchronousFileChannel channel;
    private final FileWatch watch;
    private final @Nullable BlockSums sums;
    private final AtomicInteger holders = new AtomicInteger(1);
    private volatile boolean used;

    private OpenFile(AsynchronousFileChannel channel, FileWatch watch, @Nullable BlockSums sums) {
        this.channel = channel;
        this.watch = watch;
        this.sums = sums;
    }

    /**
     * Opens a file that is no link; its first holder is the caller.
     * @param state of the path just now
     * @param sums  that its bytes are checked against; null for a file without any
     */
    static OpenFile at(Path path, FileState state, @Nullable BlockSums sums) throws IOException {
        var channel = AsynchronousFileChannel.open(path, READ, CallerThread.INSTANCE);
        return new OpenFile(channel, new FileWatch(path, state), sums);
    }

    /** Whether it was still the file that was opened, in the same state, at a {@link System#nanoTime} or later. */
    boolean isUnchangedSince(long time) throws IOException {
        return watch.isUnchangedSince(time);
    }

    /** One more holder, unless the file has been closed. */
    boolean hold() {
        int now = holders.get();
        while (now > 0) {
            if (holders.compareAndSet(now, now + 1)) {
                used = true;
                return true;
            }
            now = holders.get();
        }
        return false;
    }

    void release() {
        if (holders.decrementAndGet() == 0) {
            FileWork.run("cannot close a file", channel::close);
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Whether it was held since this was last asked. */
    boolean takeUsed() {
        boolean was = used;
        used = false;
        return was;
    }

    /** Fills a buffer from an offset on; less only where the file ends. */
    void read(ByteBuffer into, long offset) throws IOException {
        if (sums == null) {
            readAll(into, offset);
        } else {
            sums.read(this::readAll, into, offset);
        }
    }

    private void readAll(ByteBuffer into, long offset) throws IOException {
        int end = into.limit();
        long shift = offset - into.position();
        while (into.position() < end) {
            into.limit(Math.min(end, into.position() + LARGEST_READ));
            if (CallerThread.result(channel.read(into, shift + into.position())) < 0) {
                break;
            }
        }
        into.limit(end);
    }
}
