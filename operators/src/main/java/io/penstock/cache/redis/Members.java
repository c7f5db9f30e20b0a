package io.penstock.cache.redis;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Who uses a node's server: a file each, locked as long as its process lives, which the kernel ends whatever the process
 * dies of. Only for who has the {@link Turn}.
 */
final class Members {

    private static final String PREFIX = "member-";

    private final Path home;
    private final String own = PREFIX + ProcessHandle.current().pid() + "-"
            + ProcessHandle.current()
                    .info()
                    .startInstant()
                    .orElse(Instant.EPOCH)
                    .toEpochMilli() + "-";

    Members(Path home) {
        this.home = home;
    }

    /** One user of the server. */
    record Member(Path file, FileChannel channel) {
        void leave() throws IOException {
            Files.deleteIfExists(file);
            channel.close();
        }
    }

    Member join() throws IOException {
        Path file = home.resolve(own + UUID.randomUUID());
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        FileLock lock = channel.lock();
        assert lock.isValid();
        return new Member(file, channel);
    }

    /** Whether there are any that live; the files of others are deleted. */
    boolean areAny() throws IOException {
        boolean any = false;
        try (Stream<Path> files = Files.list(home)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                any |= file.getFileName().toString().startsWith(PREFIX) && isAlive(file);
            }
        }
        return any;
    }

    private boolean isAlive(Path file) throws IOException {
        if (file.getFileName().toString().startsWith(own)) {
            return true; // and not to be opened: closing it again would give up the lock
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                return true;
            }
            Files.deleteIfExists(file);
            return false;
        } catch (java.nio.file.NoSuchFileException e) {
            return false;
        }
    }
}
