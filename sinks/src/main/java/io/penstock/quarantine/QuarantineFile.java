package io.penstock.quarantine;

import io.penstock.fault.FormatException;
import io.penstock.fault.SampleException;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.NodeLock;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes samples that failed into a file, a line of JSON each, for an {@code ErrorPolicy}:
 * <pre>{@code
 *  try (QuarantineFile bad = QuarantineFile.at(Path.of("bad.jsonl"))) {
 *      dataset.onError(ErrorPolicy.skip().quarantine(bad)).stream(sampler) …
 *  }
 *  {"index":48213,"name":"train/x.jpg","stage":"decode","cause":"java.io.EOFException","message":"…"}
 * }</pre>
 *
 * <p>A line is with the operating system before {@link #accept} returns, so killing the process loses none; one that
 * was torn is cut off when the file is opened again, and passed over by {@link #read}. A later run appends. One process
 * at a time: ranks take a file each.
 *
 * <p>Thread-safe; {@code accept} blocks for the write. An interrupt does not harm the file.
 */
public final class QuarantineFile implements Consumer<SampleException>, AutoCloseable {

    private final Path path;
    private final RandomAccessFile file; // a FileChannel would be closed by the first thread interrupted in it
    private final @Nullable NodeLock held; // closed after the file, of which closing any descriptor gives up the lock
    private final ReentrantLock lock = new ReentrantLock();
    private long end;
    private boolean closed;

    private QuarantineFile(Path path, RandomAccessFile file, @Nullable NodeLock held, long end) {
        this.path = path;
        this.file = file;
        this.held = held;
        this.end = end;
    }

    /**
     * Opens a file to append to; makes it if it is missing, but not its folder.
     * @throws StoreException  if it cannot be opened or another process has it open
     * @throws FormatException if it is a file of something else, which is left as it is
     */
    public static QuarantineFile at(Path path) {
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new StoreException("cannot open quarantine file %s: there is no folder %s".formatted(path, folder));
        }
        NodeLock held = lock(path);
        RandomAccessFile file = null;
        try {
            file = new RandomAccessFile(path.toFile(), "rw");
            // by a descriptor that stays open: closing one would give up the lock
            long end = lines(path, new FileInputStream(file.getFD()), file.length()).end;
            if (end < file.length()) {
                file.setLength(end);
            }
            return new QuarantineFile(path, file, held, end);
        } catch (IOException e) {
            close(file, held);
            throw new StoreException("cannot open quarantine file %s: %s".formatted(path, FileErrors.reason(e)), e);
        } catch (RuntimeException e) {
            close(file, held);
            throw e;
        }
    }

    /** Held until the file is closed; a file system without locks goes without. */
    private static @Nullable NodeLock lock(Path path) {
        NodeLock lock = null;
        boolean ours;
        try {
            lock = NodeLock.shared(path);
            ours = lock.tryLock(0, false) != null;
        } catch (IOException e) {
            ours = true;
        }
        if (!ours) {
            close(lock);
            throw new StoreException(
                    "cannot open quarantine file %s: it is open already; give each rank a file of its own"
                            .formatted(path));
        }
        return lock;
    }

    private static void close(@Nullable Closeable... files) {
        for (Closeable file : files) {
            try {
                if (file != null) {
                    file.close();
                }
            } catch (IOException e) {
                // the caller reports something that matters more
            }
        }
    }

    /**
     * The samples in a file, oldest first; a last line that was torn by a kill is passed over.
     * @throws StoreException  if it cannot be read
     * @throws FormatException if a line is not a quarantined sample
     */
    public static List<QuarantinedSample> read(Path path) {
        try (InputStream in = Files.newInputStream(path)) {
            return List.copyOf(lines(path, in, Files.size(path)).samples);
        } catch (IOException e) {
            throw new StoreException("cannot read quarantine file %s: %s".formatted(path, FileErrors.reason(e)), e);
        }
    }

    /** What a file holds, and where its last whole line ends. */
    private record Lines(List<QuarantinedSample> samples, long end) {}

    private static Lines lines(Path path, InputStream bytes, long size) throws IOException {
        List<QuarantinedSample> samples = new ArrayList<>();
        byte[] line = new byte[256];
        int length = 0;
        long end = 0;
        long at = 0;
        InputStream in = new BufferedInputStream(bytes);
        while (at < size) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            at++;
            if (next == '\n') {
                samples.add(sample(path, samples.size() + 1, line, length));
                length = 0;
                end = at;
            } else if (length == QuarantinedSample.LONGEST_LINE) {
                String reason = "is longer than %d bytes".formatted(QuarantinedSample.LONGEST_LINE);
                throw notOurs(path, samples.size() + 1, reason, null);
            } else {
                line = length == line.length ? Arrays.copyOf(line, 2 * length) : line;
                line[length++] = (byte) next;
            }
        }
        if (length > 0 && line[0] != '{') {
            throw notOurs(path, samples.size() + 1, "does not begin with {", null);
        }
        return new Lines(samples, end);
    }

    private static QuarantinedSample sample(Path path, int number, byte[] line, int length) {
        try {
            return QuarantinedSample.read(line, length);
        } catch (FormatException e) {
            throw notOurs(path, number, e.getMessage(), e);
        }
    }

    private static FormatException notOurs(
            Path path, int line, @Nullable String reason, @Nullable FormatException cause) {
        String message = "%s is not a quarantine file: line %d %s".formatted(path, line, reason);
        return cause == null ? new FormatException(message) : new FormatException(message, cause);
    }

    /**
     * Writes one line.
     * @throws StoreException if it cannot, as when the disk is full; the lines before it are whole
     * @throws IllegalStateException if the file was closed
     */
    @Override
    public void accept(SampleException failure) {
        byte[] json = QuarantinedSample.of(failure).line();
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException(
                        "quarantine file %s is closed, cannot take sample %d".formatted(path, failure.index()));
            }
            write(line, failure.index());
        } finally {
            lock.unlock();
        }
    }

    private void write(byte[] line, long index) {
        try {
            file.seek(end);
            file.write(line);
            end += line.length;
        } catch (IOException e) {
            try {
                file.setLength(end); // half a line must not stay in front of the next
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw new StoreException(
                    "cannot write sample %d to quarantine file %s: %s".formatted(index, path, FileErrors.reason(e)), e);
        }
    }

    /** The place of the file. */
    public Path path() {
        return path;
    }

    /** Closes the file; doing so again does nothing. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                file.close();
                close(held);
            }
        } catch (IOException e) {
            throw new StoreException("cannot close quarantine file %s: %s".formatted(path, FileErrors.reason(e)), e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "quarantine file " + path;
    }
}
