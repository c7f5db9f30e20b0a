package io.penstock.cli.serve;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.penstock.fault.StoreException;
import io.penstock.internal.Told;
import io.penstock.serve.internal.Access;
import io.penstock.store.StoreEntry;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** Answers one request to a {@link FileServer}. */
record FileAnswer(FileServer server, HttpServerRequest request, HttpServerResponse response) {

    private static final Logger LOG = LoggerFactory.getLogger(FileAnswer.class);
    private static final int SLICE = 256 << 10;

    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** A file: its size, its state, and its slices by their offsets. */
    private record Found(long size, String etag, Instant modified, LongFunction<Mono<ByteBuffer>> slices) {}

    Mono<Void> send() {
        long asked = System.nanoTime();
        return answer().flatMap(publisher -> late(asked).then(Mono.from(publisher)))
                .onErrorResume(failure -> {
                    LOG.debug("request cut off", failure);
                    cut(false);
                    return Mono.empty();
                });
    }

    /** Waits for the rest of the delay, to which the lookup counts, on the connection's own loop. */
    private Mono<Void> late(long asked) {
        long rest = server.plan.delay().toNanos() - (System.nanoTime() - asked);
        return rest <= 0
                ? Mono.empty()
                : Told.mono(told -> response.withConnection(connection -> {
                    Future<?> timer = connection
                            .channel()
                            .eventLoop()
                            .schedule(() -> told.tell(null, null), rest, TimeUnit.NANOSECONDS);
                    told.onCancel(() -> timer.cancel(false));
                }));
    }

    /** Decides, and reads the first slice, so that a late answer is sent at once. */
    private Mono<Publisher<Void>> answer() {
        Optional<Access.Refusal> refusal = server.access.refusal(request.requestHeaders()::getAll);
        if (refusal.isPresent()) {
            HttpResponseStatus status = HttpResponseStatus.valueOf(refusal.get().status());
            if (status.equals(HttpResponseStatus.UNAUTHORIZED)) {
                response.header(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
            }
            return Mono.just(plain(status));
        }
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            response.header(HttpHeaderNames.ALLOW, "GET, HEAD");
            return Mono.just(plain(HttpResponseStatus.METHOD_NOT_ALLOWED));
        }
        String key = key(request.uri());
        if (key == null) {
            return Mono.just(plain(HttpResponseStatus.BAD_REQUEST));
        }
        return find(key)
                .flatMap(found -> answer(key, found))
                .switchIfEmpty(Mono.fromSupplier(() -> plain(HttpResponseStatus.NOT_FOUND)))
                .onErrorResume(StoreException.class, refused -> {
                    LOG.debug("refused", refused);
                    return Mono.just(plain(HttpResponseStatus.FORBIDDEN));
                });
    }

    private static @Nullable String key(String uri) {
        int query = uri.indexOf('?');
        String path = query < 0 ? uri : uri.substring(0, query);
        try {
            return path.startsWith("/")
                    ? URLDecoder.decode(path.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8)
                    : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private Mono<Found> find(String key) {
        ServedManifest manifest = server.manifest;
        if (manifest != null && key.equals(ServedManifest.NAME)) {
            ByteBuffer text = ByteBuffer.wrap(manifest.text());
            return Mono.just(new Found(
                    manifest.text().length,
                    manifest.etag(),
                    Instant.EPOCH,
                    from -> Mono.just(text.slice((int) from, (int) Math.min(SLICE, text.remaining() - from)))));
        }
        return server.files
                .entry(key)
                .filter(entry -> server.shows(entry.key()))
                .map(this::found);
    }

    private Found found(StoreEntry entry) {
        return new Found(
                entry.size(),
                "\"%x-%x\"".formatted(entry.size(), entry.version()),
                Instant.EPOCH.plus(entry.version(), ChronoUnit.NANOS),
                from -> server.files.read(entry, from, (int) Math.min(SLICE, entry.size() - from)));
    }

    private Mono<Publisher<Void>> answer(String key, Found found) {
        List<Faults.Fault> faults =
                key.equals(ServedManifest.NAME) && server.manifest != null ? List.of() : server.nextFault(key);
        Faults.@Nullable Kind fault = faults.isEmpty() ? null : faults.get(0).kind();
        if (fault == Faults.Kind.REFUSE) {
            return Mono.just(Mono.fromRunnable(() -> cut(true)));
        }
        if (fault == Faults.Kind.STATUS) {
            return Mono.just(plain(HttpResponseStatus.valueOf(faults.get(0).status())));
        }
        response.header(HttpHeaderNames.ETAG, found.etag)
                .header(HttpHeaderNames.LAST_MODIFIED, HTTP_DATE.format(found.modified))
                .header(HttpHeaderNames.ACCEPT_RANGES, "bytes");
        if (isKnown(found)) {
            return Mono.just(response.status(HttpResponseStatus.NOT_MODIFIED).send());
        }
        AskedRange range = isRangeOfThis(found)
                ? AskedRange.parse(request.requestHeaders().get(HttpHeaderNames.RANGE), found.size)
                : null;
        if (range != null && range.isEmpty()) {
            response.header(HttpHeaderNames.CONTENT_RANGE, "bytes */" + found.size);
            return Mono.just(plain(HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE));
        }
        if (range == null) {
            return body(found, new AskedRange(0, found.size - 1), fault);
        }
        response.status(HttpResponseStatus.PARTIAL_CONTENT)
                .header(
                        HttpHeaderNames.CONTENT_RANGE,
                        "bytes %d-%d/%d".formatted(range.first(), range.last(), found.size));
        return body(found, range, fault);
    }

    private boolean isKnown(Found found) {
        String tags = request.requestHeaders().get(HttpHeaderNames.IF_NONE_MATCH);
        if (tags != null) {
            return tags.strip().equals("*")
                    || List.of(tags.replace("W/", "").split("\\s*,\\s*")).contains(found.etag);
        }
        Instant since = date(request.requestHeaders().get(HttpHeaderNames.IF_MODIFIED_SINCE));
        return since != null && !found.modified.truncatedTo(ChronoUnit.SECONDS).isAfter(since);
    }

    private static @Nullable Instant date(@Nullable String text) {
        try {
            return text == null ? null : Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
        } catch (DateTimeException e) {
            return null;
        }
    }

    private boolean isRangeOfThis(Found found) {
        String condition = request.requestHeaders().get(HttpHeaderNames.IF_RANGE);
        return request.method().equals(HttpMethod.GET)
                && (condition == null
                        || condition.equals(found.etag)
                        || condition.equals(HTTP_DATE.format(found.modified)));
    }

    private Mono<Publisher<Void>> body(Found found, AskedRange range, Faults.@Nullable Kind fault) {
        boolean get = request.method().equals(HttpMethod.GET);
        long length = get && fault == Faults.Kind.WRONG_LENGTH ? Math.max(0, range.length() - 1) : range.length();
        response.header(HttpHeaderNames.CONTENT_LENGTH, Long.toString(length))
                .header(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream");
        if (!get || length == 0) {
            return Mono.just(response.send());
        }
        boolean breaks = fault == Faults.Kind.RESET || fault == Faults.Kind.STALL || fault == Faults.Kind.TRUNCATE;
        long sent = breaks ? length / 2 : length;
        if (sent <= SLICE && !breaks) {
            return slice(found, range.first(), sent).map(bytes -> response.sendObject(Unpooled.wrappedBuffer(bytes)));
        }
        Flux<ByteBuf> slices = Flux.<Long, Long>generate(() -> range.first(), (from, sink) -> {
                    if (from >= range.first() + sent) {
                        sink.complete();
                    } else {
                        sink.next(from);
                    }
                    return from + SLICE;
                })
                .concatMap(from -> slice(found, from, Math.min(SLICE, range.first() + sent - from)), 1)
                .map(Unpooled::wrappedBuffer);
        return Mono.just(breaks ? broken(slices, fault) : response.send(slices));
    }

    private static Mono<ByteBuffer> slice(Found found, long from, long length) {
        return found.slices.apply(from).map(bytes -> bytes.slice(bytes.position(), (int) length));
    }

    /** Sends the slices, flushing each, and then stalls or cuts the connection. */
    private Publisher<Void> broken(Flux<ByteBuf> slices, Faults.@Nullable Kind fault) {
        Mono<ByteBuf> end = fault == Faults.Kind.STALL
                ? Mono.never()
                : Mono.<ByteBuf>fromRunnable(() -> cut(fault == Faults.Kind.RESET))
                        .then(Mono.never());
        return response.send(slices.concatWith(end), each -> true);
    }

    private Publisher<Void> plain(HttpResponseStatus status) {
        byte[] text = (status + "\n").getBytes(StandardCharsets.US_ASCII);
        response.status(status)
                .header(HttpHeaderNames.CONTENT_TYPE, "text/plain")
                .header(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(text.length));
        return request.method().equals(HttpMethod.HEAD)
                ? response.send()
                : response.sendObject(Unpooled.wrappedBuffer(text));
    }

    /** Ends the connection, with a reset if asked. */
    private void cut(boolean reset) {
        response.withConnection((Connection connection) -> {
            if (reset) {
                connection.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            }
            connection.dispose();
        });
    }
}
