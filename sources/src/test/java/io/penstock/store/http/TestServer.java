package io.penstock.store.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.penstock.cache.Fingerprint;
import io.penstock.store.Checksum;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** Serves a folder to tests over HTTP: with ranges and entity tags, and if asked with a manifest and with faults. */
public final class TestServer implements AutoCloseable {

    private static final Object READING = new Object();

    /** A way to fail; those with a status answer with it. */
    public enum Fault {
        REFUSE(0),
        RESET(0),
        STALL(0),
        TRUNCATE(0),
        WRONG_LENGTH(0),
        STATUS_429(429),
        STATUS_500(500),
        STATUS_503(503);

        private final int status;

        Fault(int status) {
            this.status = status;
        }
    }

    private static final String UNSIGNED =
            "<?xml version=\"1.0\"?><Error><Code>AuthenticationFailed</Code><Message>Server failed to authenticate"
                    + " the request.</Message></Error>";
    private static final String MANIFEST = "manifest.jsonl";
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d*)");
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Path folder;
    private final byte @Nullable [] manifest;
    private final Map<Fault, Double> faults;
    private final DisposableServer server;
    private volatile String query = "";
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong connections = new AtomicLong();
    private final Map<String, AtomicInteger> requestsOfPath = new ConcurrentHashMap<>();

    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

    private TestServer(Path folder, int port, boolean manifest, Map<Fault, Double> faults) {
        this.folder = folder;
        this.manifest = manifest ? manifest(folder) : null;
        this.faults = new TreeMap<>(faults);
        this.server = HttpServer.create()
                .host("127.0.0.1")
                .port(port)
                .doOnConnection(connection -> open.add(connection.channel()))
                .option(ChannelOption.SO_REUSEADDR, true)
                .doOnChannelInit((observer, channel, remote) -> connections.incrementAndGet())
                .handle((request, response) -> {
                    requests.incrementAndGet();
                    return Mono.fromCallable(() -> answer(request, response))
                            .subscribeOn(Schedulers.boundedElastic())
                            .flatMap(Mono::from);
                })
                .bindNow();
    }

    public static TestServer of(Path folder) {
        return new TestServer(folder, 0, false, Map.of());
    }

    /** Serves {@code manifest.jsonl} too, with size, CRC32C and first folder of each file. */
    public static TestServer withManifest(Path folder, int port) {
        return new TestServer(folder, port, true, Map.of());
    }

    /** Fails with these probabilities; the manifest never does. */
    public static TestServer withFaults(Path folder, Map<Fault, Double> shares) {
        return new TestServer(folder, 0, true, shares);
    }

    /** Answers only addresses with this query, as Azure does with the signatures that it calls SAS. */
    public TestServer demanding(String some) {
        query = "?" + some;
        return this;
    }

    private static byte[] manifest(Path folder) {
        StringBuilder lines = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile).sorted()::iterator) {
                String key = folder.relativize(file).toString();
                byte[] bytes = Files.readAllBytes(file);
                ObjectNode line = JsonNodeFactory.instance
                        .objectNode()
                        .put("key", key)
                        .put("bytes", bytes.length)
                        .put(
                                "checksum",
                                Checksum.of(Checksum.Kind.CRC32C, ByteBuffer.wrap(bytes))
                                        .toString());
                if (key.indexOf('/') > 0) {
                    line.put("label", key.substring(0, key.indexOf('/')));
                }
                lines.append(line).append('\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Changes a file. An answer then has one state of it: no client can tell what a server mixes under one ETag. */
    public static void change(Path file, byte[] bytes) throws IOException {
        synchronized (READING) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(bytes), 0);
            }
        }
    }

    /** The bytes behind a path; the manifest's are in memory. */
    private record Found(@Nullable Path file, ByteBuffer text, long size, String etag, long modifiedNanos) {

        byte[] range(long from, int length) throws IOException {
            ByteBuffer range = ByteBuffer.allocate(length);
            if (file == null) {
                return range.put(text.slice((int) from, length)).array();
            }
            synchronized (READING) {
                try (FileChannel channel = FileChannel.open(file)) {
                    while (range.hasRemaining() && channel.read(range, from + range.position()) >= 0) {}
                }
            }
            return range.array();
        }
    }

    private @Nullable Found find(String key) throws IOException {
        byte[] text = manifest;
        if (text != null && key.equals(MANIFEST)) {
            return new Found(null, ByteBuffer.wrap(text), text.length, "\"manifest\"", 0);
        }
        Path file = folder.resolve(key);
        if (!Files.isRegularFile(file)) {
            return null;
        }
        long modified = Files.getLastModifiedTime(file).to(TimeUnit.NANOSECONDS);
        long size = Files.size(file);
        return new Found(file, ByteBuffer.allocate(0), size, "\"%x-%x\"".formatted(size, modified), modified);
    }

    private Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) throws IOException {
        int mark = (request.uri() + "?").indexOf('?');
        if (!request.uri().substring(mark).equals(query)) {
            return response.status(403).sendString(Mono.just(UNSIGNED));
        }
        String path = request.uri().substring(1, mark);
        String key = URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        Found found = find(key);
        if (found == null) {
            return response.status(404).send();
        }
        Fault fault = found.file == null ? null : nextFault(key);
        if (fault == Fault.REFUSE) {
            return cut(response, true);
        }
        if (fault != null && fault.status > 0) {
            return response.status(fault.status).send();
        }
        response.header("ETag", found.etag)
                .header("Last-Modified", HTTP_DATE.format(java.time.Instant.ofEpochSecond(0, found.modifiedNanos)))
                .header("Accept-Ranges", "bytes");
        String condition = request.requestHeaders().get("If-Range");
        String range = request.requestHeaders().get("Range");
        Matcher asked = RANGE.matcher(range == null || condition != null && !condition.equals(found.etag) ? "" : range);
        long first = 0;
        long last = found.size - 1;
        if (asked.matches()) {
            first = Long.parseLong(asked.group(1));
            last = asked.group(2).isEmpty() ? last : Math.min(last, Long.parseLong(asked.group(2)));
            if (first > last) {
                return response.status(416)
                        .header("Content-Range", "bytes */" + found.size)
                        .send();
            }
            response.status(206).header("Content-Range", "bytes %d-%d/%d".formatted(first, last, found.size));
        }
        int length = (int) (last - first + 1) - (fault == Fault.WRONG_LENGTH ? 1 : 0);
        response.header("Content-Length", Integer.toString(Math.max(0, length)));
        if (request.method().equals(HttpMethod.HEAD) || length <= 0) {
            return response.send();
        }
        if (fault == null || fault == Fault.WRONG_LENGTH) {
            return response.sendObject(Unpooled.wrappedBuffer(found.range(first, length)));
        }
        ByteBuf half = Unpooled.wrappedBuffer(found.range(first, length / 2));
        Mono<ByteBuf> end = fault == Fault.STALL
                ? Mono.never()
                : Mono.<ByteBuf>from(cut(response, fault == Fault.RESET).cast(ByteBuf.class))
                        .then(Mono.never());
        return response.send(Flux.just(half).concatWith(end), each -> true);
    }

    private static Mono<Void> cut(HttpServerResponse response, boolean reset) {
        return Mono.fromRunnable(() -> response.withConnection(connection -> {
            if (reset) {
                connection.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            }
            connection.dispose();
        }));
    }

    /** Depends on the path and on how often it was asked for, not on the order of requests. */
    private @Nullable Fault nextFault(String key) {
        int number = requestsOfPath
                .computeIfAbsent(key, first -> new AtomicInteger())
                .getAndIncrement();
        double chance = (Fingerprint.of(key, Integer.toString(number)).high() >>> 11) * 0x1p-53;
        for (Map.Entry<Fault, Double> share : faults.entrySet()) {
            chance -= share.getValue();
            if (chance < 0) {
                return share.getKey();
            }
        }
        return null;
    }

    public URI address() {
        return URI.create("http://127.0.0.1:" + server.port() + "/");
    }

    public long requests() {
        return requests.get();
    }

    public long connections() {
        return connections.get();
    }

    @Override
    public void close() {
        server.disposeNow(Duration.ofSeconds(10));
        open.close().awaitUninterruptibly(); // clients keep them, and another server may get this port
    }
}
