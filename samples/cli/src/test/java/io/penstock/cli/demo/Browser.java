package io.penstock.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A real Chromium without a window, steered by its own protocol.
 * @see <a href="https://chromedevtools.github.io/devtools-protocol/">the Chrome DevTools Protocol</a>
 */
final class Browser implements AutoCloseable {

    private static final List<String> NAMES = List.of(
            "chromium-headless-shell",
            "chrome-headless-shell",
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable");
    private static final String LISTENING = "DevTools listening on ";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final WebSocket socket;
    private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final Queue<String> complaints = new ConcurrentLinkedQueue<>();
    private final String session;

    /** The program, if this machine has it: the one that {@code PENSTOCK_CHROMIUM} names, or one of the path. */
    private static Optional<Path> find() {
        String named = System.getenv("PENSTOCK_CHROMIUM");
        Stream<Path> onPath = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)));
        return (named == null ? onPath : Stream.of(Path.of(named)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private Browser(Process process, URI address) {
        this.process = process;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(address, new Listener())
                .orTimeout(300, TimeUnit.SECONDS)
                .join();
        String target = ask("Target.createTarget", "", node -> node.put("url", "about:blank"))
                .path("targetId")
                .asText();
        this.session = ask(
                        "Target.attachToTarget",
                        "",
                        node -> node.put("targetId", target).put("flatten", true))
                .path("sessionId")
                .asText();
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", node -> node);
        }
    }

    /** Starts it with a profile of its own in this folder; skips the test where there is none. */
    static Browser startOrSkip(Path folder) throws IOException {
        Optional<Path> program = find();
        Assumptions.assumeTrue(
                program.isPresent(),
                "no Chromium on the path: install chromium-headless-shell or name one in PENSTOCK_CHROMIUM");
        return start(program.orElseThrow(), folder);
    }

    private static Browser start(Path program, Path folder) throws IOException {
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox", // a container's root has none to use
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + folder.resolve("profile"))
                .redirectErrorStream(true)
                .start();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (line != null && !line.startsWith(LISTENING)) {
            line = lines.readLine();
        }
        if (line == null) {
            throw new IOException("the browser ended before it began");
        }
        // what nobody reads would stop it once the pipe is full
        Thread drain = new Thread(() -> lines.lines().forEach(later -> {}), "browser-output");
        drain.setDaemon(true);
        drain.start();
        try {
            return new Browser(process, URI.create(line.substring(LISTENING.length())));
        } catch (RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                try {
                    heard(JSON.readTree(text.toString()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } finally {
                    text.setLength(0);
                }
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }

    private void heard(JsonNode message) {
        CompletableFuture<JsonNode> answer = asked.remove(message.path("id").asInt(-1));
        if (answer != null) {
            if (message.has("error")) {
                answer.completeExceptionally(new IllegalStateException(message.toString()));
            } else {
                answer.complete(message.path("result"));
            }
            return;
        }
        JsonNode parameters = message.path("params");
        boolean complaint = switch (message.path("method").asText()) {
            case "Runtime.exceptionThrown" -> true;
            case "Runtime.consoleAPICalled" ->
                List.of("error", "warning").contains(parameters.path("type").asText());
            case "Log.entryAdded" ->
                List.of("error", "warning")
                        .contains(parameters.path("entry").path("level").asText());
            default -> false;
        };
        if (complaint) {
            complaints.add(message.toString());
        }
    }

    /** How parameters are filled in. */
    interface Parameters {
        ObjectNode fill(ObjectNode node);
    }

    private JsonNode call(String method, Parameters parameters) {
        return ask(method, session, parameters);
    }

    private JsonNode ask(String method, String inSession, Parameters parameters) {
        int number = numbers.incrementAndGet();
        ObjectNode message =
                JsonNodeFactory.instance.objectNode().put("id", number).put("method", method);
        parameters.fill(message.putObject("params"));
        if (!inSession.isEmpty()) {
            message.put("sessionId", inSession);
        }
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        asked.put(number, answer);
        socket.sendText(message.toString(), true).join();
        return answer.orTimeout(300, TimeUnit.SECONDS).join();
    }

    /** What the console said that is an error or a warning. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    void size(int width, int height, boolean phone) {
        call(
                "Emulation.setDeviceMetricsOverride",
                node -> node.put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", phone));
    }

    /** Asks for a preference, such as {@code prefers-color-scheme: dark}. */
    void prefer(String feature, String value) {
        call("Emulation.setEmulatedMedia", node -> {
            node.putArray("features").addObject().put("name", feature).put("value", value);
            return node;
        });
    }

    void open(URI address) {
        call("Page.navigate", node -> node.put("url", address.toString()));
    }

    /** The value of an expression, or of its promise. */
    JsonNode evaluate(String expression) {
        JsonNode result = call(
                "Runtime.evaluate",
                node -> node.put("expression", expression)
                        .put("awaitPromise", true)
                        .put("returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new IllegalStateException(result.toString());
        }
        return result.path("result").path("value");
    }

    /** Waits, in the browser, until an expression is true. */
    void await(String condition) {
        boolean met = evaluate("""
                new Promise(done => {
                  const end = Date.now() + 50000;
                  (function look() {
                    let met = false;
                    try { met = (%s); } catch (e) { /* not there yet */ }
                    if (met || Date.now() > end) done(!!met); else setTimeout(look, 20);
                  })();
                })""".formatted(condition)).asBoolean();
        if (!met) {
            throw new AssertionError("never became true: " + condition + "; the page says:\n"
                    + evaluate("document.body.innerText").asText() + "\n" + complaints);
        }
    }

    /** Presses and releases a key, as a person would. */
    void press(String key, int code) {
        for (String type : List.of("rawKeyDown", "keyUp")) {
            call(
                    "Input.dispatchKeyEvent",
                    node -> node.put("type", type)
                            .put("key", key)
                            .put("code", key)
                            .put("windowsVirtualKeyCode", code));
        }
    }

    /** The whole page as a PNG file. */
    byte[] screenshot() {
        return Base64.getDecoder()
                .decode(call("Page.captureScreenshot", node -> node.put("captureBeyondViewport", true))
                        .path("data")
                        .asText());
    }

    @Override
    public void close() {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().orTimeout(300, TimeUnit.SECONDS).join();
    }
}
