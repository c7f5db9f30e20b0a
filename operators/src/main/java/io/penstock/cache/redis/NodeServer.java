package io.penstock.cache.redis;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.redis.internal.Launch;
import io.penstock.cache.redis.internal.MeetingPlace;
import io.penstock.cache.redis.internal.Member;
import io.penstock.cache.redis.internal.Membership;
import io.penstock.cache.redis.internal.Programs;
import io.penstock.cache.redis.internal.Secret;
import io.penstock.cache.redis.internal.SpawnedServer;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private static final String ALL = "spawn-all";
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long MIN_BYTES = 1L << 20;
    private static final long MAX_BYTES = 1L << 50;

    private final long bytes;
    private final @Nullable Path executable;
    private final @Nullable Path directory;
    private final String listen;
    private final int port;
    private final @Nullable Meeting meeting;

    /** @param atMost how long the first nodes wait for that number */
    private record Meeting(MeetingPlace place, int nodes, Duration atMost) {}

    private NodeServer(
            long bytes,
            @Nullable Path executable,
            @Nullable Path directory,
            String listen,
            int port,
            @Nullable Meeting meeting) {
        this.bytes = bytes;
        this.executable = executable;
        this.directory = directory;
        this.listen = listen;
        this.port = port;
        this.meeting = meeting;
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
        return new NodeServer(bytes, null, null, "", 0, null);
    }

    /** Whether it is about the servers of all nodes, and not about this node's alone. */
    static boolean isOfAll(RedisUri uri) {
        return uri.scheme().equals(ALL);
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
        if (isOfAll(uri)) {
            server = server.meetAt(given.getOrDefault("meet", ""));
            Duration wait = uri.time("wait");
            Meeting known = Objects.requireNonNull(server.meeting);
            server = server.nodes(
                    given.containsKey("nodes") ? uri.number("nodes") : known.nodes, wait == null ? known.atMost : wait);
            return given.containsKey("bind") ? server.listen(given.get("bind"), 0) : server;
        }
        if (given.containsKey("listen") || given.containsKey("port")) {
            server = server.listen(
                    given.getOrDefault("listen", LOOPBACK), given.containsKey("port") ? uri.number("port") : 0);
        }
        return server;
    }

    private static Path path(Map<String, String> given, String parameter) {
        String path = given.getOrDefault(parameter, "");
        Arguments.refuse(
                path.isEmpty(), "a spawned server has no %s: a path is missing after %s=", parameter, parameter);
        return Path.of(path);
    }

    /**
     * The program; by default {@code redis-server} or {@code valkey-server}, whichever is found first on the
     * {@code PATH} or where packages put programs.
     */
    public NodeServer executable(Path file) {
        return new NodeServer(bytes, file, directory, listen, port, meeting);
    }

    /** Where its processes find each other, one directory a server; by default one in {@code /tmp} for each user. */
    public NodeServer directory(Path place) {
        return new NodeServer(bytes, executable, place, listen, port, meeting);
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
        return new NodeServer(bytes, executable, directory, address, number, meeting);
    }

    /**
     * Makes the servers of all nodes of a job one cache, in which each has a share of the keys. The server is known to
     * the other nodes by the address of {@link #listen}, and otherwise by the one from which this node reaches the
     * place.
     * @param place {@code HOST:PORT}, at which the node with that address has its server, or a folder that all nodes
     *     share; if it is empty, {@code MASTER_ADDR} and the port behind {@code MASTER_PORT}, or the first of Slurm's
     *     hosts
     */
    public NodeServer meetAt(String place) {
        MeetingPlace found = MeetingPlace.of(place, System.getenv());
        return new NodeServer(bytes, executable, directory, listen, port, new Meeting(found, found.nodes(), PATIENCE));
    }

    /**
     * How many nodes meet, where the environment does not say it, and how long {@link RedisOptions#open} waits for
     * them: a minute by default. A node that comes later takes its share of the keys then, and loads it again.
     */
    public NodeServer nodes(int number, Duration atMost) {
        if (meeting == null || number < 1) {
            throw new IllegalArgumentException("nodes that meet are 1 or more, were " + number);
        }
        return new NodeServer(bytes, executable, directory, listen, port, new Meeting(meeting.place, number, atMost));
    }

    /** Whether it is one of several. */
    boolean meets() {
        return meeting != null;
    }

    /** Finds or starts it, and joins its users; blocks. */
    SpawnedServer join(Secret password) {
        String address = listen.isEmpty() ? LOOPBACK : listen;
        return new Launch(this::program, home(""), bytes, address, port, password).join();
    }

    /** Does the same as a node of several, and waits for the others; blocks. */
    Membership meet(Secret given) {
        Meeting known = Objects.requireNonNull(meeting);
        MeetingPlace place = known.place;
        Secret password = place.password(given);
        String local = place.local(listen);
        int chosen = place.isAt(local) ? place.port() : port;
        Path home = home("-" + place.id() + "-" + local);
        Launch launch = new Launch(this::program, home, bytes, local, chosen, password);
        String name = Fingerprint.of(local, home.toString()).hex();
        return place.meet(launch::join, name, local, password, known.nodes, known.atMost);
    }

    static Address address(SpawnedServer server) {
        return Address.of(LOOPBACK, server.port());
    }

    /** The servers of all nodes, by the nodes' names. */
    static Map<String, Address> addresses(List<Member> members) {
        Map<String, Address> addresses = new LinkedHashMap<>();
        members.forEach(member -> addresses.put(member.name(), Address.of(member.host(), member.port())));
        return addresses;
    }

    private Path home(String node) {
        if (directory != null) {
            return directory.toAbsolutePath();
        }
        String user = ProcessHandle.current().info().user().orElse("all");
        return Path.of("/tmp", "penstock-redis-" + (user + node).replaceAll("[^A-Za-z0-9._-]", "_"));
    }

    private Path program() {
        if (executable != null) {
            return executable;
        }
        return Programs.find("redis-server", "valkey-server")
                .orElseThrow(() ->
                        new StoreException("no redis-server or valkey-server on the PATH or in /usr/bin, /usr/sbin,"
                                + " /usr/local/bin; install one, or name it:"
                                + " spawn:SIZE?server=FILE"));
    }

    @Override
    public String toString() {
        String nodes = meeting == null ? "" : " a node, met at " + meeting.place;
        return "spawned redis of %d bytes%s".formatted(bytes, nodes);
    }
}
