package io.penstock.write.internal;

import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.NodeLock;
import io.penstock.output.UnfinishedOutput;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that gets its name when it is complete. Until then it lies beside it under a hidden name of its own, so that
 * two writers of one file do not meet: the last one to finish has it. What a dead writer left is removed by the
 * next one of the same file, and when a folder is opened for outputs.
 *
 * <p>Written by one thread at a time; {@link #close} by any. Everything blocks.
 */
public final class UnfinishedFile implements UnfinishedOutput {

    private static final Logger LOG = LoggerFactory.getLogger(UnfinishedFile.class);
    private static final String SUFFIX = ".part";
    private static final Pattern NAME = Pattern.compile("\\..+\\.[0-9a-f]{8}-[-0-9a-f]{64}\\.part", Pattern.DOTALL);
    private static final int ATTEMPTS = 100;
    private static final int MAX_START = 64 << 10;

    /**
     * In the names of this process's files, which it never opens again: closing them again would give up their locks.
     */
    private static final String OWN = UUID.randomUUID() + "-";

    private final Path target;
    private final Path unfinished;
    private final FileChannel channel;
    private long size;

    private UnfinishedFile(Path target, Path unfinished, FileChannel channel) {
        this.target = target;
        this.unfinished = unfinished;
        this.channel = channel;
    }

    /**
     * A file beside this one, which takes its name at the end.
     * @throws StoreException if it cannot be made
     */
    public static UnfinishedFile of(Path target) {
        Path whole = target.toAbsolutePath();
        if (whole.getFileName() == null || Files.isDirectory(whole)) {
            throw new StoreException("cannot write %s: it is a folder".formatted(target));
        }
        try {
            sweep(whole);
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                UnfinishedFile made = create(whole);
                if (made != null) {
                    return made;
                }
            }
            throw new IOException("others keep removing what is begun");
        } catch (IOException e) {
            throw failed(target, e);
        }
    }

    /** {@code null} if another writer took it for a dead one's, before its lock said otherwise. */
    private static @Nullable UnfinishedFile create(Path whole) throws IOException {
        Path unfinished = whole.resolveSibling(prefix(whole) + OWN + UUID.randomUUID() + SUFFIX);
        FileChannel channel = FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            boolean ours;
            try {
                ours = NodeLock.tryLock(channel, 0, false) != null; // says that its writer lives
            } catch (IOException e) {
                ours = true; // a file system without locks, where no writer removes another's
            }
            if (ours && Files.exists(unfinished)) {
                return new UnfinishedFile(whole, unfinished, channel);
            }
        } catch (RuntimeException | Error e) {
            channel.close();
            throw e;
        }
        channel.close();
        Files.deleteIfExists(unfinished);
        return null;
    }

    private static String prefix(Path target) {
        return "." + target.getFileName() + ".";
    }

    private static void sweep(Path target) throws IOException {
        String prefix = prefix(target);
        sweep(target.getParent(), name -> name.startsWith(prefix) && name.endsWith(SUFFIX));
    }

    /**
     * Removes what dead writers left in a folder, of whatever files: one that is complete is never written again.
     * @throws IOException if the folder cannot be listed
     */
    public static void sweepAll(Path folder) throws IOException {
        sweep(folder, NAME.asMatchPredicate());
    }

    private static void sweep(@Nullable Path folder, Predicate<String> unfinished) throws IOException {
        if (folder == null || !Files.isDirectory(folder)) {
            return; // opening says so
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, file -> {
            String name = String.valueOf(file.getFileName());
            return unfinished.test(name) && !name.contains("." + OWN);
        })) {
            for (Path file : left) {
                removeIfDead(file);
            }
        }
    }

    private static void removeIfDead(Path file) {
        try (FileChannel left = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (NodeLock.tryLock(left, 0, false) != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.debug("left {}", file, e); // finished meanwhile, not ours, or on a file system without locks
        }
    }

    private static StoreException failed(Path target, IOException cause) {
        String reason = cause instanceof NoSuchFileException
                ? "there is no folder %s".formatted(target.toAbsolutePath().getParent())
                : cause instanceof AccessDeniedException ? "not permitted" : String.valueOf(cause.getMessage());
        return new StoreException("cannot write %s: %s".formatted(target, reason), cause);
    }

    @Override
    public String location() {
        return target.toString();
    }

    @Override
    public void append(ByteBuffer... bytes) throws IOException {
        ByteBuffer[] all = Arrays.stream(bytes).map(ByteBuffer::duplicate).toArray(ByteBuffer[]::new);
        long length = Arrays.stream(all).mapToLong(Buffer::remaining).sum();
        for (long left = length; left > 0; ) {
            left -= channel.write(all);
        }
        size += length;
    }

    @Override
    public void writeStart(ByteBuffer bytes) throws IOException {
        if (bytes.remaining() > Math.min(size, MAX_START)) {
            throw new IllegalArgumentException("cannot write over the first %d bytes of %s, which has %d"
                    .formatted(bytes.remaining(), target, size));
        }
        ByteBuffer left = bytes.duplicate();
        for (long at = 0; left.hasRemaining(); ) {
            at += channel.write(left, at);
        }
    }

    @Override
    public long size() {
        return size;
    }

    /** Gives the file its name, with every byte on the disk before. Replaces what is there. */
    @Override
    public void finish() throws IOException {
        channel.force(true);
        AtomicFile.rename(unfinished, target);
        channel.close(); // after it has its name: a sweep must not take it for a dead writer's
    }

    @Override
    public void close() {
        try {
            channel.close();
            Files.deleteIfExists(unfinished);
        } catch (IOException e) {
            throw failed(target, e);
        }
    }
}
