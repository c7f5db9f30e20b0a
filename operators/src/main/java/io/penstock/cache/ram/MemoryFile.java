package io.penstock.cache.ram;

import io.penstock.internal.CallerThread;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/**
 * A slab that is a file of a memory file system, without a name: written by calls and read through a mapping.
 *
 * <p>The first touch of a page of new private memory is a page fault, which costs 1 to 20 µs by the machine: a sample
 * of 150,528 bytes has 37 of them. A call that writes has the kernel take the pages itself, for a tenth of that. The
 * first read through the mapping then finds them there, sixteen at a fault. A full file system refuses a call, where a
 * mapped write would end the process. Calls copy memory and wait for nothing else.
 *
 * <p>A small value that lies in pages which calls have written is copied through the mapping: a call takes longer than
 * its copy, and the page is then mapped for its readers.
 */
final class MemoryFile implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryFile.class);
    private static final Set<OpenOption> WRITE = Set.of(StandardOpenOption.WRITE);

    /** Small enough to be in the processor's cache when the call copies it, large enough to be few calls. */
    private static final int PIECE = 64 * 1024;

    private final AsynchronousFileChannel file;

    /** A bit a page: whether it is there. */
    private final AtomicIntegerArray pages;

    /** Not to be read, nor written to, before a call has written them. */
    final MappedByteBuffer bytes;

    private MemoryFile(AsynchronousFileChannel file, MappedByteBuffer bytes) {
        this.file = file;
        this.bytes = bytes;
        this.pages = new AtomicIntegerArray(1 + bytes.capacity() / Slabs.PAGE / Integer.SIZE);
    }

    /** @param directory on a memory file system */
    static MemoryFile in(Path directory, int bytes) throws IOException {
        Path path = Files.createTempFile(directory, "penstock-", ".slab");
        try (RandomAccessFile made = new RandomAccessFile(path.toFile(), "rw")) {
            made.setLength(bytes);
            MappedByteBuffer mapped = made.getChannel().map(MapMode.READ_WRITE, 0, bytes);
            return new MemoryFile(AsynchronousFileChannel.open(path, WRITE, CallerThread.INSTANCE), mapped);
        } finally {
            Files.delete(path);
        }
    }

    void write(int at, Encoded value) throws IOException {
        int first = at / Slabs.PAGE;
        int last = (at + Math.max(1, value.length()) - 1) / Slabs.PAGE;
        if (value.length() > Slabs.PAGE) {
            writeByCalls(at, value);
        } else if (isThere(first) && isThere(last)) {
            value.copyTo(bytes, at);
        } else {
            writeByCalls(at, value);
            pages.accumulateAndGet(first / Integer.SIZE, 1 << first, (before, bit) -> before | bit);
            pages.accumulateAndGet(last / Integer.SIZE, 1 << last, (before, bit) -> before | bit);
        }
    }

    private boolean isThere(int page) {
        return (pages.get(page / Integer.SIZE) & 1 << page) != 0;
    }

    private void writeByCalls(int at, Encoded value) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(Math.min(PIECE, value.length()));
        for (int from = 0; from < value.length(); from += piece.limit()) {
            piece.clear().limit(Math.min(piece.capacity(), value.length() - from));
            value.copyTo(from, piece, 0, piece.limit());
            while (piece.hasRemaining()) {
                CallerThread.result(file.write(piece, (long) at + from + piece.position()));
            }
        }
    }

    /**
     * Maps the pages now, on another thread, since the first read of each would pay for it: 24 µs for 150,528 bytes on
     * one machine, 100 on another. A reader meanwhile finds them or maps them itself. A slab that is dropped before is
     * not held until then.
     */
    void mapAhead() {
        var weak = new WeakReference<>(bytes);
        Schedulers.boundedElastic().schedule(() -> {
            MappedByteBuffer kept = weak.get();
            if (kept != null) {
                kept.load();
            }
        });
    }

    /** Ends writing; the mapping stays. */
    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.debug("closing a file of memory failed, which costs a descriptor", e);
        }
    }
}
