package io.penstock.cache.redis.internal;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import io.penstock.internal.NodeLock;
import io.penstock.internal.Notice;
import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of this node that this process uses.
 *
 * @param server where it is
 * @param use    ends with the process at the latest
 */
public record SpawnedServer(Registration server, UserPipe use) {

    private static final Logger LOG = LoggerFactory.getLogger(SpawnedServer.class);
    private static final String PRIVATE = "rwx------";

    public int port() {
        return server.port();
    }

    public Secret password() {
        return server.password();
    }

    /** Ends the server if no other process uses it. */
    public void leave() {
        try {
            use.close();
        } catch (IOException e) {
            Notice.warn(
                    LOG,
                    "leaving the redis server of this node failed, so it ends with this process: {}",
                    e.toString());
        }
    }

    /** Finds the server of a directory, or launches one. Blocks. */
    static SpawnedServer join(Path home, Launch launch) {
        try {
            requireOwn(home);
            try (NodeLock turn = NodeLock.shared(home.resolve("turn"));
                    FileLock lock = turn.lock(0)) {
                assert lock.isValid();
                SpawnedServer found = found(home, launch.bytes());
                return found != null ? found : launch.run();
            }
        } catch (IOException e) {
            throw new StoreException(
                    "cannot start a redis server for this node in %s: %s".formatted(home, FileErrors.reason(e)), e);
        }
    }

    /** The server that is registered, if it answers and stays; any other is ended. */
    private static @Nullable SpawnedServer found(Path home, long bytes) throws IOException {
        for (Registration server : Registration.all(home)) {
            UserPipe use = UserPipe.of(home, server);
            if (use != null && server.answers()) {
                if (server.bytes() != bytes) {
                    Notice.warn(
                            LOG,
                            "the redis server of this node runs already, with {} bytes instead of {}; it keeps them",
                            server.bytes(),
                            bytes);
                }
                return new SpawnedServer(server, use);
            }
            if (use != null) {
                use.close();
            }
            LOG.info("the redis server that was registered for this node is gone; it is cleared away");
            server.end(home);
        }
        return null;
    }

    /**
     * Makes a directory for this user alone, or makes sure that it is one: who can write to it could pose as the
     * server.
     */
    static void requireOwn(Path home) throws IOException {
        try {
            Files.createDirectory(home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PRIVATE)));
        } catch (FileAlreadyExistsException e) {
            boolean ours = Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)
                    && Files.getOwner(home).getName().equals(userOf(home))
                    && PosixFilePermissions.toString(Files.getPosixFilePermissions(home))
                            .equals(PRIVATE);
            if (!ours) {
                throw new StoreException(
                        "%s must be a directory that this user alone may use (chmod 700), and is not; name another one"
                                .formatted(home),
                        e);
            }
        }
    }

    /** Who a file made there now belongs to. */
    private static String userOf(Path home) throws IOException {
        Path probe = Files.createTempFile(home, "owner", "");
        try {
            return Files.getOwner(probe).getName();
        } finally {
            Files.delete(probe);
        }
    }
}
