package io.penstock.store.internal.copy;

import io.penstock.fault.StoreException;
import io.penstock.internal.NodeLock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;

/**
 * A copy while it is made: under another name, and locked by its writer. An unfinished one without a lock was left by a
 * process that died.
 *
 * <p>Nothing is flushed to the disk. A copy's name appears after its bytes and its {@link BlockSums} were written; what a
 * crash of the machine loses of them is found by the checksums. For one thread at a time.
 */
public final class LocalCopy implements Closeable {

    /** In the names of this JVM's unfinished copies, which it opens once: closing another descriptor drops the lock. */
    private static final String OWN = UUID.randomUUID() + "-";

    private final Path unfinished;
    private final FileChannel channel;
    private final BlockSums.Writer sums = new BlockSums.Writer();

    private LocalCopy(Path unfinished, FileChannel channel) {
        this.unfinished = unfinished;
        this.channel = channel;
    }

    /**
     * Begins a copy in a folder, without any bytes.
     * @param naming makes the name of the unfinished copy of a text that is another one each time
     */
    public static LocalCopy begin(Path folder, UnaryOperator<String> naming) throws IOException {
        String nonce = OWN + Long.toHexString(ThreadLocalRandom.current().nextLong());
        Path path = folder.resolve(naming.apply(nonce));
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            channel.lock();
            return new LocalCopy(path, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            Files.deleteIfExists(path);
            throw e;
        }
    }

    /** Adds bytes, and leaves the buffer as it is. */
    public void append(ByteBuffer bytes) throws IOException {
        sums.update(bytes);
        ByteBuffer rest = bytes.duplicate();
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }

    /** The bytes that it has now. */
    public long size() throws IOException {
        return channel.size();
    }

    /**
     * Gives it its name, which is in the same folder.
     * @throws StoreException if the file system cannot do that in one step
     */
    public void moveTo(Path copy) throws IOException {
        sums.write(unfinished);
        try {
            BlockSums.move(unfinished, copy);
        } catch (AtomicMoveNotSupportedException e) {
            throw new StoreException(
                    "file system of %s cannot rename atomically; keep copies elsewhere".formatted(copy), e);
        }
    }

    /** Removes it, unless it has its name; whether it was there. */
    public boolean abandon() throws IOException {
        try (channel) {
            return BlockSums.delete(unfinished);
        }
    }

    /** As {@link #abandon}. */
    @Override
    public void close() throws IOException {
        abandon();
    }

    /** Whether an unfinished copy was left by a process that died. */
    public static boolean isLeft(Path unfinished) {
        if (unfinished.toString().contains(OWN)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(unfinished, StandardOpenOption.WRITE);
                FileLock lock = NodeLock.tryLock(channel, 0, false)) {
            return lock != null;
        } catch (IOException e) {
            return false;
        }
    }
}
