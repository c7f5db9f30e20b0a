package io.penstock.cache.redis;

import io.penstock.cache.redis.internal.Launch;
import io.penstock.cache.redis.internal.Programs;
import io.penstock.cache.redis.internal.Secret;
import io.penstock.cache.redis.internal.SpawnedServer;
import io.penstock.fault.StoreException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code redis-server} that all processes of a node share: the first one that comes starts it, the others find it,
 * and the last one that leaves ends it. A value: each method gives a changed copy, and nothing runs before
 * {@link RedisOptions#open}.
 *
 * <p>It listens on 127.0.0.1 only, on a free port, with a random password that is in no command line, holds at most so
 * many bytes, refuses what does not fit, and writes nothing to disk. Where it is, is in a directory that only its owner
 * may read.
 *
 * <p>The server ends with its last process, however that one ends: each holds a pipe open, and a shell that waits for
 * the end of that pipe ends the server. Where the shell is killed, the server ends with it.
 */
public final class NodeServer {

    private static final String LOOPBACK = "127.0.0.1";
    private static final long MIN_BYTES = 1L << 20;
    private static final long MAX_BYTES = 1L << 50;

    private final long bytes;
    private final @Nullable Path executable;
    private final @Nullable Path directory;
    private final String listen;
    private final int port;

    private NodeServer(long bytes, @Nullable Path executable, @Nullable Path directory, String listen, int port) {
        this.bytes = bytes;
        this.executable = executable;
        this.directory = directory;
        this.listen = listen;
        this.port = port;
    }

    /**
     * A server that holds at most the given number of bytes, all told.
     * @throws IllegalArgumentException if it is less than 1 MiB, which an empty one needs, or more than 1 PiB
     */
    public static NodeServer ofBytes(long bytes) {
        if (bytes < MIN_BYTES || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "the bytes of a server must be in [%d, %d], were %d".formatted(MIN_BYTES, MAX_BYTES, bytes));
        }
        return new NodeServer(bytes, null, null, LOOPBACK, 0);
    }

    static NodeServer of(RedisUri uri) {
        NodeServer server = ofBytes(RedisUri.size("what is spawned", uri.rest()));
        Map<String, String> given = uri.parameters();
        if (given.containsKey("server")) {
            server = server.executable(path(given, "server"));
        }
        if (given.containsKey("dir")) {
            server = server.directory(path(given, "dir"));
        }
        if (given.containsKey("listen") || given.containsKey("port")) {
            server = server.listen(
                    given.getOrDefault("listen", LOOPBACK), given.containsKey("port") ? uri.number("port") : 0);
        }
        return server;
    }

    private static Path path(Map<String, String> given, String parameter) {
        String path = given.getOrDefault(parameter, "");
        if (path.isEmpty()) {
            throw new IllegalArgumentException(
                    "a spawned server has no %s: a path is missing after %s=".formatted(parameter, parameter));
        }
        return Path.of(path);
    }

    /** The program; by default {@code redis-server} or {@code valkey-server}, where the {@code PATH} has one. */
    public NodeServer executable(Path file) {
        return new NodeServer(bytes, file, directory, listen, port);
    }

    /** Where its processes find each other, one directory a server; by default one in {@code /tmp} for each user. */
    public NodeServer directory(Path place) {
        return new NodeServer(bytes, executable, place, listen, port);
    }

    /**
     * Listens on an address in addition to 127.0.0.1, for other nodes; these need the port, and the password, so choose
     * both: {@link RedisOptions#credentials}. The connection is not encrypted.
     * @param number of the port; 0 for a free one
     */
    public NodeServer listen(String address, int number) {
        if (!address.matches("[0-9A-Za-z.:*-]{1,255}") || number < 0 || number > 65_535) {
            throw new IllegalArgumentException("a server listens on an address and a port in [0, 65535], was %s and %d"
                    .formatted(address, number));
        }
        return new NodeServer(bytes, executable, directory, address, number);
    }

    /** Finds or starts it, and joins its users; blocks. */
    SpawnedServer join(Secret password) {
        return new Launch(this::program, home(), bytes, listen, port, password).join();
    }

    static Address address(SpawnedServer server) {
        return new Address(Address.Kind.SERVERS, List.of(new Address.Host(LOOPBACK, server.port())), false, 0, "");
    }

    private Path home() {
        if (directory != null) {
            return directory.toAbsolutePath();
        }
        String user = ProcessHandle.current().info().user().orElse("all");
        return Path.of("/tmp", "penstock-redis-" + user.replaceAll("[^A-Za-z0-9._-]", "_"));
    }

    private Path program() {
        if (executable != null) {
            return executable;
        }
        return Programs.find("redis-server", "valkey-server")
                .orElseThrow(
                        () -> new StoreException(
                                "no redis-server or valkey-server on the PATH; install one, or name it: spawn:SIZE?server=FILE"));
    }

    @Override
    public String toString() {
        return "spawned redis of %d bytes".formatted(bytes);
    }
}
