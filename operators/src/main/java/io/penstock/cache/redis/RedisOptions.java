package io.penstock.cache.redis;

import io.penstock.cache.redis.internal.Membership;
import io.penstock.cache.redis.internal.Secret;
import io.penstock.cache.redis.internal.SpawnedServer;
import io.penstock.internal.Arguments;
import io.penstock.internal.OptionalLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a cache in Redis lies and how it is dealt with. A value: each method gives a changed copy, and {@link #open}
 * does the work. As one text:
 *
 * <pre>
 *  redis://[USER[:PASSWORD]@]HOST[:PORT][,HOST…][/DATABASE][?…]   servers; with several, each has a share of the keys
 *  redis-cluster://HOST[:PORT][,HOST…][?…]                        a cluster, by some of its nodes
 *  redis-sentinel://HOST[:PORT][,HOST…][/DATABASE]?master=NAME    the master that these sentinels name
 *  rediss…://…                                                    any of them with TLS
 *  spawn:SIZE[?…]                                                 one server for all processes of this node
 *  spawn-all:SIZE[?…]                                             one server a node, and all of them one cache
 *
 *  name=NAME           of the data set, which keeps its keys apart from others'
 *  node=N              the N-th server only, counted round: each node its own
 *  password-file=FILE  its first line is the password
 *  ca=FILE             certificates to trust, PEM       verify=full|ca|none   what of a server's is compared
 *  timeout=2s          after which a server is slow     lease=10s             see leaseTime
 *  max-value=64MiB     larger ones are refused
 *  server=FILE, dir=DIR, listen=ADDRESS, port=N         for spawn: see {@link NodeServer}
 *  server=FILE, dir=DIR, bind=ADDRESS, meet=HOST:PORT|DIR, nodes=N, wait=60s    for spawn-all: see there
 * </pre>
 */
public final class RedisOptions {

    private static final List<String> PARAMETERS =
            List.of("name", "node", "master", "password-file", "ca", "verify", "timeout", "lease", "max-value");
    private static final List<String> OF_SPAWN =
            List.of("name", "password-file", "timeout", "lease", "max-value", "server", "dir", "listen", "port");
    private static final List<String> OF_SPAWN_ALL = List.of(
            "name", "password-file", "timeout", "lease", "max-value", "server", "dir", "bind", "meet", "nodes", "wait");
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final int MAX_NAME = 1_000;
    private static final String PASSWORD = "PENSTOCK_REDIS_PASSWORD";
    private static final String USER = "PENSTOCK_REDIS_USER";

    private final @Nullable Address address;
    private final @Nullable NodeServer spawned;
    private final String name;
    private final Settings settings;

    private RedisOptions(@Nullable Address address, @Nullable NodeServer spawned, String name, Settings settings) {
        this.address = address;
        this.spawned = spawned;
        this.name = name;
        this.settings = settings;
    }

    static RedisOptions of(NodeServer server) {
        return new RedisOptions(null, server, "", Settings.STANDARD);
    }

    static RedisOptions parse(String text) {
        RedisUri uri = RedisUri.parse(text);
        boolean all = NodeServer.isOfAll(uri);
        boolean spawn = all || uri.scheme().equals("spawn");
        uri.allow(all ? OF_SPAWN_ALL : spawn ? OF_SPAWN : PARAMETERS);
        Settings settings = settings(uri);
        String name = checkedName(uri.parameters().getOrDefault("name", ""));
        if (spawn) {
            return new RedisOptions(null, NodeServer.of(uri), name, settings);
        }
        Address address = uri.address();
        if (uri.parameters().containsKey("node")) {
            address = address.own(uri.number("node"));
        }
        return new RedisOptions(address, null, name, settings);
    }

    private static Settings settings(RedisUri uri) {
        Map<String, String> given = uri.parameters();
        String file = given.get("password-file");
        Settings settings =
                Settings.STANDARD.login(uri.user(), file == null ? uri.password() : Secret.in(Path.of(file)));
        String ca = given.get("ca");
        Settings.Verify verify = switch (given.getOrDefault("verify", "full")) {
            case "full" -> Settings.Verify.FULL;
            case "ca" -> Settings.Verify.CA;
            case "none" -> Settings.Verify.NONE;
            default -> throw new IllegalArgumentException("verify must be full, ca or none");
        };
        if (ca != null && !Files.isReadable(Path.of(ca))) {
            throw new IllegalArgumentException("cannot read the certificates in " + ca);
        }
        settings = settings.trust(ca == null ? null : Path.of(ca), verify);
        Duration timeout = uri.time("timeout");
        Duration lease = uri.time("lease");
        settings = settings.times(
                checked("time-out", timeout == null ? settings.timeout() : timeout),
                checked("time of a lease", lease == null ? settings.leaseTime() : lease));
        String largest = given.get("max-value");
        return largest == null
                ? settings
                : settings.bytes(valueBytes(RedisUri.size("max-value", largest)), settings.pendingBytes());
    }

    private static Duration checked(String what, Duration time) {
        if (time.compareTo(SHORTEST) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("the %s must be in [1 ms, 24 h], was %s".formatted(what, time));
        }
        return time;
    }

    private static int valueBytes(long bytes) {
        int max = (512 << 20) - Frame.HEADER; // the largest string there is
        Arguments.refuse(bytes < 1 || bytes > max, "the largest value must be of 1 to %d bytes, was %d", max, bytes);
        return (int) bytes;
    }

    private RedisOptions with(Settings changed) {
        return new RedisOptions(address, spawned, name, changed);
    }

    /**
     * The data set's name: keys under different names never meet, keys under one are shared by all who use it. Beside
     * it a key has the fingerprint of the sample, the stages and the codec, so one name serves all versions of a
     * pipeline.
     */
    public RedisOptions name(String dataset) {
        return new RedisOptions(address, spawned, checkedName(dataset), settings);
    }

    private static String checkedName(String dataset) {
        if (dataset.length() > MAX_NAME) { // it is a part of every key
            throw new IllegalArgumentException("the name of a data set must have at most %d characters, had %d"
                    .formatted(MAX_NAME, dataset.length()));
        }
        return dataset;
    }

    /** Of several servers only this node's own: the one at its number, counted round. */
    public RedisOptions node(int number) {
        if (address == null) {
            throw new IllegalArgumentException("a spawned server is the node's own, so there is none to choose");
        }
        return new RedisOptions(address.own(number), null, name, settings);
    }

    /** Who one is at the servers; an empty user is the default one. */
    public RedisOptions credentials(String user, String password) {
        return with(settings.login(user, Secret.of(password)));
    }

    /**
     * Takes {@code PENSTOCK_REDIS_PASSWORD} and {@code PENSTOCK_REDIS_USER}, where they are set and nothing else was
     * said.
     */
    public RedisOptions credentialsFromEnvironment() {
        return credentialsFrom(System.getenv());
    }

    RedisOptions credentialsFrom(Map<String, String> environment) {
        String user = environment.getOrDefault(USER, "");
        String password = environment.getOrDefault(PASSWORD, "");
        return with(settings.login(
                settings.user().isEmpty() ? user : settings.user(),
                settings.password().isNone() ? Secret.of(password) : settings.password()));
    }

    /**
     * How long an answer may take; 2 s unless something else is said. A server that needs longer three times in a row
     * is left alone for a while.
     */
    public RedisOptions timeout(Duration time) {
        return with(settings.times(checked("time-out", time), settings.leaseTime()));
    }

    /**
     * How long the right to load lasts when its owner says nothing any more, which it does four times in that time; 10
     * s unless something else is said.
     */
    public RedisOptions leaseTime(Duration time) {
        return with(settings.times(settings.timeout(), checked("time of a lease", time)));
    }

    /** The largest value that is put, in bytes; 64 MiB unless something else is said. */
    public RedisOptions maxValueBytes(long bytes) {
        return with(settings.bytes(valueBytes(bytes), settings.pendingBytes()));
    }

    /** How many bytes may be on their way to each server before puts complete later than at once; 32 MiB by default. */
    public RedisOptions pendingBytes(long bytes) {
        Arguments.refuse(bytes < 0, "the bytes that are pending must not be negative, were %s", bytes);
        return with(settings.bytes(settings.maxValueBytes(), bytes));
    }

    /**
     * Opens the cache, blocking until it is connected, or until that took longer than ten times the time-out: then it
     * goes on trying.
     * @throws IllegalStateException if Lettuce is not on the class path
     * @throws io.penstock.fault.StoreException if a server is to be started, and cannot be
     */
    public RedisTier open() {
        OptionalLibrary.LETTUCE.require("RedisTier", RedisOptions.class);
        ClientThreads threads = new ClientThreads();
        try {
            return opened(threads);
        } catch (RuntimeException | Error e) {
            threads.close();
            throw e;
        }
    }

    private RedisTier opened(ClientThreads threads) {
        Membership membership = spawned != null && spawned.meets() ? spawned.meet(settings.password()) : null;
        SpawnedServer running = spawned == null || membership != null ? null : spawned.join(settings.password());
        Runnable afterwards =
                membership != null ? membership::close : running != null ? running::leave : RedisOptions::nothing;
        try {
            Settings known = membership != null
                    ? settings.login("", membership.password())
                    : running != null ? settings.login("", running.password()) : settings;
            Counts counts = new Counts();
            KeySpace keys = new KeySpace(name);
            Duration atMost = known.connecting();
            Servers servers = new Servers((server, there) -> new Server(server, there, known, keys, counts, threads));
            if (membership != null) {
                servers.become(NodeServer.addresses(membership.members()), atMost)
                        .toFuture()
                        .join();
                membership.follow(members ->
                        servers.become(NodeServer.addresses(members), atMost).subscribe());
            } else {
                Address there = running != null ? NodeServer.address(running) : Objects.requireNonNull(address);
                servers.become(there.byName(), atMost).toFuture().join();
            }
            return new RedisTier(servers, known, counts, () -> {
                threads.close();
                afterwards.run();
            });
        } catch (RuntimeException | Error e) {
            afterwards.run();
            throw e;
        }
    }

    private static void nothing() {}

    /** Says where, and not who one is there. */
    @Override
    public String toString() {
        String where = Stream.of(address, spawned)
                .filter(Objects::nonNull)
                .map(Object::toString)
                .findFirst()
                .orElseThrow();
        return where + (name.isEmpty() ? "" : ", name " + name) + ", " + settings;
    }
}
