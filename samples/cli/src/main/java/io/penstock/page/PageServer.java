package io.penstock.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/**
 * Serves the page on the loopback address, what it shows as server-sent events, and its controls.
 *
 * <p>A browser pulls: its next frame is drawn up once the last one has left for its socket, so one that is slow gets fewer
 * frames of what is then new, holds one frame's memory and one thread of a few, and never the program that is watched.
 * {@code POST /control/NAME} with {@code {"value": …}} changes something and answers with {@code {"said": "…"}}.
 */
public final class PageServer implements AutoCloseable {

    private static final int BROWSERS = 8;
    private static final int MOST_BODY_BYTES = 1024;
    private static final Duration BETWEEN_FRAMES = Duration.ofMillis(250);
    private static final String CONTROLS = "/control/";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final LoopbackServer server;
    private final Show show;
    private final Map<String, Control> controls;
    private final PageFiles files = new PageFiles();
    private final Ticks ticks = new Ticks();
    private final Semaphore browsers = new Semaphore(BROWSERS);
    private final ReentrantLock changing = new ReentrantLock();
    private final Disposable clock =
            Flux.interval(BETWEEN_FRAMES).onBackpressureDrop().subscribe(i -> ticks.tick());

    private PageServer(int port, Show show, Map<String, Control> controls) {
        this.show = show;
        this.controls = controls;
        this.server = LoopbackServer.open("--port", port, "penstock-page", this::answer);
    }

    /**
     * Serves from now on.
     * @param port     0 for any free one
     * @param controls by name
     * @throws IllegalArgumentException if the port is taken, or none
     */
    public static PageServer open(int port, Show show, Map<String, Control> controls) {
        return new PageServer(port, show, Map.copyOf(controls));
    }

    public URI address() {
        return URI.create("http://127.0.0.1:%d/".formatted(server.port()));
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.startsWith(CONTROLS)) {
            control(exchange, controls.get(path.substring(CONTROLS.length())));
        } else if (path.equals("/events")) {
            if (isAllowed(exchange, "GET")) {
                events(exchange);
            }
        } else {
            file(exchange, files.at(path));
        }
    }

    private static boolean isAllowed(HttpExchange exchange, String method) throws IOException {
        if (exchange.getRequestMethod().equals(method)) {
            return true;
        }
        exchange.getResponseHeaders().set("Allow", method);
        Answer.text(exchange, 405, "only " + method);
        return false;
    }

    private static void file(HttpExchange exchange, PageFiles.@Nullable PageFile file) throws IOException {
        if (file == null) {
            Answer.text(exchange, 404, "nothing is here; see /");
        } else if (isAllowed(exchange, "GET")) {
            Answer.file(exchange, file);
        }
    }

    private void events(HttpExchange exchange) throws IOException {
        if (!browsers.tryAcquire()) {
            Answer.text(exchange, 503, "%d browsers are watching; close one".formatted(BROWSERS));
            return;
        }
        try {
            Answer.head(exchange, "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                frames(out);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closing
        } finally {
            browsers.release();
        }
    }

    private void frames(OutputStream out) throws IOException, InterruptedException {
        long seen = 0;
        for (long tick = ticks.after(-1); tick >= 0; tick = ticks.after(tick)) {
            Show.Frame frame = show.after(seen);
            seen = frame.seen();
            out.write(("data: " + frame.json() + "\n\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }

    private void control(HttpExchange exchange, @Nullable Control control) throws IOException {
        if (control == null) {
            Answer.text(exchange, 404, "there is no such control: %s are".formatted(controls.keySet()));
            return;
        }
        if (!isAllowed(exchange, "POST")) {
            return;
        }
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (type == null || !type.startsWith("application/json")) {
            Answer.text(exchange, 415, "a body of application/json is expected");
            return;
        }
        byte[] body = exchange.getRequestBody().readNBytes(MOST_BODY_BYTES + 1);
        if (body.length > MOST_BODY_BYTES) {
            Answer.text(exchange, 413, "at most %d bytes are expected".formatted(MOST_BODY_BYTES));
            return;
        }
        change(exchange, control, body);
    }

    private void change(HttpExchange exchange, Control control, byte[] body) throws IOException {
        String said;
        changing.lock();
        try {
            JsonNode value =
                    JSON.readTree(new String(body, StandardCharsets.UTF_8)).path("value");
            said = control.set(value);
        } catch (JsonProcessingException e) {
            Answer.text(exchange, 400, "{\"value\": …} was expected");
            return;
        } catch (IllegalArgumentException e) {
            Answer.text(exchange, 400, String.valueOf(e.getMessage()));
            return;
        } finally {
            changing.unlock();
        }
        byte[] answer = JsonNodeFactory.instance
                .objectNode()
                .put("said", said)
                .toString()
                .getBytes(StandardCharsets.UTF_8);
        Answer.bytes(exchange, 200, "application/json", answer);
        ticks.tick();
    }

    /** Ends the browsers' streams and gives the port back. */
    @Override
    public void close() {
        clock.dispose();
        ticks.close();
        server.close();
    }
}
