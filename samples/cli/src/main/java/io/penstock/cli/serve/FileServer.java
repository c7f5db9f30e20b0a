package io.penstock.cli.serve;

import io.netty.channel.ChannelOption;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.FileWork;
import io.penstock.serve.internal.Access;
import io.penstock.store.FileStore;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.netty.ChannelBindException;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * Serves a folder over HTTP on 127.0.0.1, to measure remote reads on one machine: with ranges, entity tags and
 * conditional requests, and on demand with delays, faults, a manifest and a token.
 * <pre>{@code
 *  try (FileServer server = FileServer.of(folder).delay(Duration.ofMillis(5)).start()) {
 *    HttpStore store = HttpStore.at(server.address());
 *  }
 * }</pre>
 * <p>Answers {@code GET} and {@code HEAD} with one range a request. Hidden files except Zarr's metadata, links to
 * hidden files, and paths and links that lead out of the folder are not served. Without a token the {@code Host} must
 * be a loopback name. A {@link FileStore} reads the files, 256 KiB at a time.
 */
public final class FileServer implements AutoCloseable {

    private static final Duration MAX_DELAY = Duration.ofHours(1);
    private static final Duration REQUEST = Duration.ofSeconds(30);
    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration CLOSING = Duration.ofSeconds(10); // the maximum, for a machine under load

    /**
     * The settings of a server. Immutable; every method returns a copy.
     *
     * @param port   0, any free one, unless set
     * @param delay  after which an answer begins; none unless set
     * @param faults none unless set; the manifest is always served without
     * @param listed whether {@value ServedManifest#NAME} is served, made when the server starts: every file with its
     *               size, its CRC32C and, as label, the first folder of its path
     * @param token  answers 401 to requests without this bearer token; null unless set
     */
    public record Plan(
            Path folder,
            int port,
            Duration delay,
            Faults faults,
            boolean listed,
            @Nullable String token) {

        public Plan {
            Objects.requireNonNull(folder, "folder");
            Arguments.refuse(port < 0 || port > 65_535, "port must be in [0, 65536), was %s", port);
            if (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0) {
                throw new IllegalArgumentException("delay must be in [PT0S, %s], was %s".formatted(MAX_DELAY, delay));
            }
            if (token != null && (token.isEmpty() || !token.chars().allMatch(c -> c >= 0x20 && c < 0x7F))) {
                throw new IllegalArgumentException("token must be printable ASCII, and at least one character");
            }
        }

        Plan port(int number) {
            return new Plan(folder, number, delay, faults, listed, token);
        }

        public Plan delay(Duration time) {
            return new Plan(folder, port, time, faults, listed, token);
        }

        Plan faults(Faults planned) {
            return new Plan(folder, port, delay, planned, listed, token);
        }

        public Plan manifest() {
            return new Plan(folder, port, delay, faults, true, token);
        }

        public Plan token(String secret) {
            return new Plan(folder, port, delay, faults, listed, secret);
        }

        /**
         * Serves from now on. Blocks until it does, and while the manifest is made.
         * @throws StoreException if the folder cannot be read, or the port is taken
         */
        public FileServer start() {
            return new FileServer(this);
        }
    }

    /** A part that begins with a dot, but not one that leads out, which is refused, and not the metadata of Zarr v2. */
    private static final Pattern HIDDEN = Pattern.compile("(?:^|/)\\.(?!\\.?(?:/|$)|z(?:array|attrs|group|metadata)$)");

    final Plan plan;
    final Access access;
    private final Path root;
    final FileStore files;
    final @Nullable ServedManifest manifest;
    private final DisposableServer server;
    private final AtomicLong requests = new AtomicLong();
    private final Map<String, AtomicInteger> requestsOfPath = new ConcurrentHashMap<>();

    private FileServer(Plan plan) {
        this.plan = plan;
        Access open = Access.to("http", LOOPBACK);
        this.access = plan.token == null ? open : open.token(plan.token);
        this.files = FileStore.open(plan.folder);
        this.root = realPath(plan.folder);
        this.manifest = plan.listed ? ServedManifest.of(files, this::shows) : null;
        try {
            this.server = HttpServer.create()
                    .host(LOOPBACK)
                    .port(plan.port)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .requestTimeout(REQUEST)
                    .handle((request, response) -> {
                        requests.incrementAndGet();
                        return new FileAnswer(this, request, response).send();
                    })
                    .bindNow();
        } catch (ChannelBindException e) {
            files.close();
            throw new StoreException(
                    "cannot serve on port %d: it is taken or not allowed; choose another, or 0 for any free one"
                            .formatted(plan.port),
                    e);
        }
    }

    private static Path realPath(Path folder) {
        return FileWork.get("cannot open " + folder, folder::toRealPath);
    }

    /** A folder to be served; nothing happens before {@link Plan#start}. */
    public static Plan of(Path folder) {
        return new Plan(folder, 0, Duration.ZERO, Faults.none(), false, null);
    }

    public URI address() {
        return URI.create("http://%s:%d/".formatted(LOOPBACK, server.port()));
    }

    /** How many requests have come, those that were answered wrong included. */
    public long requests() {
        return requests.get();
    }

    /** Whether a file is served: neither its name nor that of the file it leads to is hidden. Blocks. */
    boolean shows(String key) {
        if (HIDDEN.matcher(key).find()) {
            return false;
        }
        try {
            // by an URI, which holds the bytes of the name in any locale
            String escaped =
                    new URI(null, null, "/" + key, null).toASCIIString().substring(1);
            Path file = Path.of(URI.create(root.toUri() + escaped));
            return !HIDDEN.matcher(files.entry(file).key()).find();
        } catch (URISyntaxException e) {
            throw new StoreException("cannot serve " + key, e);
        }
    }

    List<Faults.Fault> nextFault(String path) {
        if (plan.faults.equals(Faults.none())) {
            return List.of();
        }
        int number = requestsOfPath
                .computeIfAbsent(path, first -> new AtomicInteger())
                .getAndIncrement();
        return plan.faults.of(path, number);
    }

    /** Stops serving; answers under way are cut off after a moment. */
    @Override
    public void close() {
        server.disposeNow(CLOSING);
        files.close();
    }

    @Override
    public String toString() {
        return address().toString();
    }
}
