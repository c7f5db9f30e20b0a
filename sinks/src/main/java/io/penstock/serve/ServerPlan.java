package io.penstock.serve;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.OptionalLibrary;
import io.penstock.serve.internal.Access;
import java.io.File;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What a {@link BatchServer} serves and to whom, before it does. Immutable; every method returns a copy. */
public final class ServerPlan {

    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration MIN_PATIENCE = Duration.ofMillis(1);
    private static final Duration MAX_PATIENCE = Duration.ofDays(365);
    private static final int MAX_CONSUMERS = 1 << 20;
    private static final int SHORTEST_SECRET = 16;
    private static final Pattern PRINTABLE = Pattern.compile("[\\x21-\\x7e]+");

    final BatchFeed feed;
    final Door door;
    final int consumers;
    private final @Nullable Path shared;
    final Duration patience;

    record Door(
            String host,
            int port,
            @Nullable String secret,
            @Nullable Path certificate,
            @Nullable Path key) {}

    private ServerPlan(BatchFeed feed, Door door, int consumers, @Nullable Path shared, Duration patience) {
        this.feed = feed;
        this.door = door;
        this.consumers = consumers;
        this.shared = shared;
        this.patience = patience;
    }

    /** A server of a feed on any free port of 127.0.0.1. */
    public static ServerPlan of(BatchFeed feed) {
        return new ServerPlan(
                Objects.requireNonNull(feed, "feed"), new Door(LOOPBACK, 0, null, null, null), 1, null, PATIENCE);
    }

    /**
     * The port; 0, any free one, unless set.
     * @throws IllegalArgumentException if there is no such port
     */
    public ServerPlan port(int number) {
        Arguments.refuse(number < 0 || number > 65_535, "port must be in [0, 65536), was %s", number);
        return with(new Door(door.host, number, door.secret, door.certificate, door.key));
    }

    /**
     * The address to listen at; 127.0.0.1 unless set. Any but loopback needs a {@link #secret} and {@link #tls}.
     * @throws IllegalArgumentException if it is empty
     */
    public ServerPlan host(String address) {
        Arguments.refuse(address.isBlank(), "host must be a name or an address such as 127.0.0.1, was empty");
        return with(new Door(address, door.port, door.secret, door.certificate, door.key));
    }

    /**
     * What every request must bring as its bearer token.
     * @throws IllegalArgumentException if it is shorter than 16 characters, or has others than printable ASCII
     */
    public ServerPlan secret(String token) {
        if (token.length() < SHORTEST_SECRET || !PRINTABLE.matcher(token).matches()) {
            throw new IllegalArgumentException(
                    "the bearer token must be at least %d printable ASCII characters without blanks, had %d"
                            .formatted(SHORTEST_SECRET, token.length()));
        }
        return with(new Door(door.host, door.port, token, door.certificate, door.key));
    }

    /** Speaks TLS, with a certificate chain and its PKCS#8 key in PEM files. */
    public ServerPlan tls(Path certificate, Path key) {
        return with(new Door(door.host, door.port, door.secret, certificate, key));
    }

    /**
     * How many consumers begin together: a run from the start waits until as many have come (for each rank). 1 unless
     * set.
     * @throws IllegalArgumentException if not in {@code [1, 1,048,576]}
     */
    public ServerPlan consumers(int number) {
        if (number < 1 || number > MAX_CONSUMERS) {
            throw new IllegalArgumentException("consumers must be in [1, %d], was %d".formatted(MAX_CONSUMERS, number));
        }
        return new ServerPlan(feed, door, number, shared, patience);
    }

    /**
     * Batches lie in files of this folder, for consumers on this machine and of this user to map. It should be in
     * memory, as below {@code /dev/shm}.
     */
    public ServerPlan shared(Path folder) {
        return new ServerPlan(feed, door, consumers, folder, patience);
    }

    /**
     * How long a consumer may take no byte of a batch that is sent to it before its connection is closed; 5 minutes
     * unless set. It can come back with its token. A connection must have asked within this time, and within 30
     * seconds.
     * @throws IllegalArgumentException if it is less than a millisecond or more than a year
     */
    public ServerPlan patience(Duration time) {
        if (time.compareTo(MIN_PATIENCE) < 0 || time.compareTo(MAX_PATIENCE) > 0) {
            throw new IllegalArgumentException(
                    "patience must be in [%s, %s], was %s".formatted(MIN_PATIENCE, MAX_PATIENCE, time));
        }
        return new ServerPlan(feed, door, consumers, shared, time);
    }

    private ServerPlan with(Door other) {
        return new ServerPlan(feed, other, consumers, shared, patience);
    }

    /**
     * Serves from now on. Blocks until it does.
     * @throws IllegalArgumentException if it would listen beyond loopback without a secret and TLS
     * @throws StoreException if the port is taken, the shared folder cannot be used, or the certificate cannot be read
     */
    public BatchServer start() {
        OptionalLibrary.REACTOR_NETTY.require(BatchServer.class);
        OptionalLibrary.ARROW.require(BatchServer.class);
        if (!isLoopback() && (door.secret == null || door.certificate == null)) {
            throw new IllegalArgumentException(
                    "will not serve on %s without a bearer token and TLS: others could read the data; give both, or listen on %s"
                            .formatted(door.host, LOOPBACK));
        }
        SslContext tls = tls();
        SharedFolder folder = shared == null ? null : SharedFolder.open(shared);
        try {
            return new BatchServer(this, tls, folder);
        } catch (RuntimeException | Error e) {
            if (folder != null) {
                folder.close();
            }
            throw e;
        }
    }

    private boolean isLoopback() {
        try {
            return InetAddress.getByName(door.host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("there is no address to listen at: " + door.host, e);
        }
    }

    private @Nullable SslContext tls() {
        if (door.certificate == null || door.key == null) {
            return null;
        }
        File chain = door.certificate.toFile();
        try {
            return SslContextBuilder.forServer(chain, door.key.toFile()).build();
        } catch (IllegalArgumentException | SSLException e) {
            throw new StoreException(
                    "cannot speak TLS with %s and %s: %s; both are PEM, the key PKCS#8 and unencrypted"
                            .formatted(door.certificate, door.key, reason(e)),
                    e);
        }
    }

    private static String reason(Throwable e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    Access access() {
        Access open = Access.to(door.certificate == null ? "http" : "https", door.host);
        return door.secret == null ? open : open.token(door.secret);
    }
}
