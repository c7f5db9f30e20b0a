package io.penstock.cache.ram;

import io.penstock.internal.CallerThread;
import io.penstock.internal.GuardedScheduler;
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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A slab that is a file of a memory file system, without a name: written by calls and read through a mapping.
 *
 * <p>The first touch of a page of new private memory is a page fault, which costs 1 to 20 µs by the machine: a sample
 * of 150,528 bytes has 37 of them. A call that writes has the kernel take the pages itself, for a tenth of that. The
 * first read through the mapping then finds them there, sixteen at a fault. A full file system refuses a call, where a
 * mapped write would end the process. Calls copy memory and wait for nothing else.
 *
 * <p>Small values are copied through the mapping, since a call takes longer than their copy. A call writes the pages
 * ahead of them, and a read maps these: many small values pay for one call, and none for a page fault.
 */
final class MemoryFile implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryFile.class);
    private static final Set<OpenOption> WRITE = Set.of(StandardOpenOption.WRITE);

    /** Small enough to be in the processor's cache when the call copies it, large enough to be few calls. */
    private static final int PIECE = 64 * 1024;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PIECE).asReadOnlyBuffer();

    private final AsynchronousFileChannel file;
    private final int ahead;

    /** Direct memory of {@link #PIECE} bytes, for calls of any file. */
    private final Queue<ByteBuffer> pieces;

    private final ReentrantLock filling = new ReentrantLock();

    /** What lies before this is there, or is the room of a large value. */
    private volatile int filled;

    @SuppressWarnings("UnusedVariable") // or the compiler would leave the read out
    private byte touched;

    /** Not to be read, nor written to, before a call has written them. */
    final MappedByteBuffer bytes;

    private MemoryFile(AsynchronousFileChannel file, MappedByteBuffer bytes, int ahead, Queue<ByteBuffer> pieces) {
        this.file = file;
        this.bytes = bytes;
        this.ahead = ahead;
        this.pieces = pieces;
    }

    /**
     * @param directory on a memory file system
     * @param ahead     small values take memory by so many bytes, a power of two
     * @param pieces    what the calls of several files use in turns; empty at first
     */
    static MemoryFile in(Path directory, int bytes, int ahead, Queue<ByteBuffer> pieces) throws IOException {
        Path path = Files.createTempFile(directory, "penstock-", ".slab");
        try (RandomAccessFile made = new RandomAccessFile(path.toFile(), "rw")) {
            made.setLength(bytes);
            MappedByteBuffer mapped = made.getChannel().map(MapMode.READ_WRITE, 0, bytes);
            return new MemoryFile(
                    AsynchronousFileChannel.open(path, WRITE, CallerThread.INSTANCE), mapped, ahead, pieces);
        } finally {
            Files.delete(path);
        }
    }

    /** @param small whether it is copied, as all parts of a value are or none */
    void write(int at, Encoded value, boolean small) throws IOException {
        int end = at + value.length();
        if (end > filled) {
            fill(at, end, small);
        }
        if (small) {
            value.copyTo(bytes, at);
        } else {
            writeByCalls(at, value);
        }
    }

    /** Values come nearly in the order of their places: what lies before one that comes early is filled for the others. */
    private void fill(int at, int end, boolean small) throws IOException {
        filling.lock();
        try {
            int from = filled;
            int to = small ? Math.min(bytes.capacity(), (end + ahead - 1) & -ahead) : end;
            int stop = small ? to : at;
            for (int done = from; done < stop; done += ZEROS.capacity()) {
                write(ZEROS.slice(0, Math.min(ZEROS.capacity(), stop - done)), done);
                touched = bytes.get(done); // maps up to sixteen pages
            }
            filled = Math.max(from, to);
        } finally {
            filling.unlock();
        }
    }

    private void writeByCalls(int at, Encoded value) throws IOException {
        ByteBuffer free = pieces.poll();
        ByteBuffer piece = free == null ? ByteBuffer.allocateDirect(PIECE) : free;
        try {
            for (int from = 0; from < value.length(); from += piece.limit()) {
                piece.clear().limit(Math.min(PIECE, value.length() - from));
                value.copyTo(from, piece, 0, piece.limit());
                write(piece, at + from);
            }
        } finally {
            pieces.add(piece);
        }
    }

    private void write(ByteBuffer piece, int at) throws IOException {
        while (piece.hasRemaining()) {
            CallerThread.result(file.write(piece, (long) at + piece.position()));
        }
    }

    /**
     * Maps the pages now, on another thread, since the first read of each would pay for it: 24 µs for 150,528 bytes on
     * one machine, 100 on another. A reader meanwhile finds them or maps them itself. A slab that is dropped before is
     * not held until then.
     */
    void mapAhead() {
        var weak = new WeakReference<>(bytes);
        GuardedScheduler.ELASTIC.schedule(() -> {
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
