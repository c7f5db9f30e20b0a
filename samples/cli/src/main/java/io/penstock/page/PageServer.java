package io.penstock.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.internal.GuardedScheduler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.FutureMono;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * Serves the page on the loopback address, what it shows as server-sent events, and its controls.
 *
 * <p>A browser pulls: its next frame is drawn once the last one has left for its socket. So a slow browser gets fewer
 * frames and holds one frame's memory. {@code POST /control/NAME} with {@code {"value": …}} changes something and
 * answers with {@code {"said": "…"}}.
 */
public final class PageServer implements AutoCloseable {

    private static final int BROWSERS = 8;
    private static final int MAX_BODY_BYTES = 1024;
    private static final Duration BETWEEN_FRAMES = Duration.ofMillis(250);
    private static final String CONTROLS = "/control/";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final GuardedServer server;
    private final Show show;
    private final Map<String, Function<JsonNode, String>> controls;
    private final Map<String, Function<HttpServerResponse, Mono<Void>>> pages = new HashMap<>();
    private final Sinks.Many<Long> ticks = Sinks.many().multicast().directBestEffort();
    private final Semaphore browsers = new Semaphore(BROWSERS);
    private final ReentrantLock changing = new ReentrantLock();
    private final Disposable clock =
            Flux.interval(BETWEEN_FRAMES).onBackpressureDrop().subscribe(this::tick);

    private PageServer(
            int port,
            String page,
            Show show,
            Map<String, Function<JsonNode, String>> controls,
            Map<String, Supplier<String>> texts) {
        this.show = show;
        this.controls = Map.copyOf(controls);
        pages.put("/events", this::events);
        putFile("/", page + ".html", "text/html; charset=utf-8");
        putFile("/page.css", "page.css", "text/css; charset=utf-8");
        putFile("/page.js", "page.js", SCRIPT);
        putFile("/" + page + ".js", page + ".js", SCRIPT);
        texts.forEach((path, text) -> pages.put(
                path, response -> Answer.text(response, 200, text.get().stripTrailing())));
        this.server = GuardedServer.open("--port", port, this::answer);
    }

    /**
     * Serves from now on.
     * @param port     0 for any free one
     * @param page     the name of its files: it has markup and a script of its own, the rest is common to all
     * @param controls by name: each makes something what a person wants, and returns what was done in words. Called by
     *     one request at a time, on a thread that may block. The one that asked is shown an
     *     {@link IllegalArgumentException}'s message.
     * @param texts    further plain texts by path; they are made without blocking
     * @throws IllegalArgumentException if the port is taken, or none
     */
    public static PageServer open(
            int port,
            String page,
            Show show,
            Map<String, Function<JsonNode, String>> controls,
            Map<String, Supplier<String>> texts) {
        return new PageServer(port, page, show, controls, texts);
    }

    /** Files come with the program, and are all that a browser needs. */
    private void putFile(String path, String name, String type) {
        try (InputStream in = Objects.requireNonNull(PageServer.class.getResourceAsStream(name), name)) {
            byte[] bytes = in.readAllBytes();
            pages.put(path, response -> Answer.bytes(response, 200, type, bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the program's file " + name, e);
        }
    }

    public URI address() {
        return URI.create("http://127.0.0.1:%d/".formatted(server.port()));
    }

    /** Has all browsers ask for a frame that are ready for one; a tick beside another one is lost. */
    private void tick(long number) {
        ticks.tryEmitNext(number);
    }

    private Mono<Void> answer(HttpServerRequest request, HttpServerResponse response) {
        String path = request.uri().replaceFirst("\\?.*", "");
        boolean isControl = path.startsWith(CONTROLS);
        Function<JsonNode, String> control = isControl ? controls.get(path.substring(CONTROLS.length())) : null;
        Function<HttpServerResponse, Mono<Void>> page = pages.get(path);
        if (control == null && page == null) {
            return Answer.text(
                    response,
                    404,
                    isControl
                            ? "there is no such control: %s are".formatted(controls.keySet())
                            : "nothing is here; see /");
        }
        HttpMethod method = control == null ? HttpMethod.GET : HttpMethod.POST;
        if (!request.method().equals(method)) {
            return Answer.text(response.header("Allow", method.name()), 405, "only " + method);
        }
        return control == null ? Objects.requireNonNull(page).apply(response) : control(request, response, control);
    }

    private Mono<Void> events(HttpServerResponse response) {
        if (!browsers.tryAcquire()) {
            return Answer.text(response, 503, "%d browsers are watching; close one".formatted(BROWSERS));
        }
        AtomicLong seen = new AtomicLong();
        Channel[] channel = new Channel[1];
        response.withConnection(connection -> channel[0] = connection.channel());
        return Answer.head(response, "text/event-stream")
                .sendHeaders()
                .then()
                .thenMany(ticks.asFlux()
                        .startWith(0L)
                        .onBackpressureLatest()
                        .publishOn(GuardedScheduler.ELASTIC, 1)
                        .concatMap(tick -> frame(channel[0], seen), 0))
                .then()
                .doFinally(end -> browsers.release());
    }

    /** Completes when the socket has all of it. */
    private Mono<Void> frame(Channel channel, AtomicLong seen) {
        Show.Frame frame = show.after(seen.get());
        seen.set(frame.seen());
        ByteBuf event = Unpooled.copiedBuffer("data: " + frame.json() + "\n\n", StandardCharsets.UTF_8);
        return FutureMono.deferFuture(() -> channel.writeAndFlush(new DefaultHttpContent(event)));
    }

    private Mono<Void> control(
            HttpServerRequest request, HttpServerResponse response, Function<JsonNode, String> control) {
        String type = request.requestHeaders().get("Content-Type");
        if (type == null || !type.startsWith("application/json")) {
            return Answer.text(response, 415, "a body of application/json is expected");
        }
        return request.receive()
                .asByteArray()
                .collect(ByteArrayOutputStream::new, (body, part) -> {
                    if (body.size() <= MAX_BODY_BYTES) {
                        body.writeBytes(part);
                    }
                })
                .publishOn(GuardedScheduler.ELASTIC)
                .flatMap(body -> body.size() > MAX_BODY_BYTES
                        ? Answer.text(response, 413, "at most %d bytes are expected".formatted(MAX_BODY_BYTES))
                        : change(response, control, body.toString(StandardCharsets.UTF_8)));
    }

    private Mono<Void> change(HttpServerResponse response, Function<JsonNode, String> control, String body) {
        String said;
        changing.lock();
        try {
            said = control.apply(JSON.readTree(body).path("value"));
        } catch (JsonProcessingException e) {
            return Answer.text(response, 400, "{\"value\": …} was expected");
        } catch (IllegalArgumentException e) {
            return Answer.text(response, 400, String.valueOf(e.getMessage()));
        } finally {
            changing.unlock();
        }
        String answer = JsonNodeFactory.instance.objectNode().put("said", said).toString();
        return Answer.bytes(response, 200, "application/json", answer.getBytes(StandardCharsets.UTF_8))
                .doOnSuccess(sent -> tick(0));
    }

    @Override
    public void close() {
        clock.dispose();
        ticks.tryEmitComplete();
        server.close();
    }
}
