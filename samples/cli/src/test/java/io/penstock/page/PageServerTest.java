package io.penstock.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PageServerTest {

    private static final String JSON = "Content-Type: application/json\r\n";
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private final AtomicInteger value = new AtomicInteger(-1);
    private final PageServer server = PageServer.open(
            0,
            "demo",
            seen -> new Show.Frame("{\"seen\":%d}".formatted(seen), seen + 1),
            Map.of("knob", json -> {
                if (!json.isInt()) {
                    throw new IllegalArgumentException("a number was expected, was " + json);
                }
                value.set(json.intValue());
                return "turned to " + json;
            }),
            Map.of("/plain", () -> "text"));

    @AfterEach
    void close() {
        server.close();
    }

    private Socket connect() throws IOException {
        return connect(server);
    }

    private static Socket connect(PageServer server) throws IOException {
        Socket socket =
                new Socket(InetAddress.getByAddress(LOOPBACK), server.address().getPort());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private String host() {
        return server.address().getAuthority();
    }

    /** Sends a request as written and reads the answer to its end. */
    private String ask(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String get(String path, String host) throws IOException {
        return ask("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(path, host));
    }

    /** The status of an answer that may have no end. */
    private String status(String path, String host) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n"
                            .formatted(path, host)
                            .getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.UTF_8);
        }
    }

    private String post(String path, String headers, String body) throws IOException {
        return ask("POST %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n%s"
                .formatted(path, host(), headers, body.length(), body));
    }

    @Test
    void page_withAllItNeeds_comesFromHereUnderAStrictPolicy() throws IOException {
        String page = get("/", host());

        assertThat(page).startsWith("HTTP/1.1 200").contains("<title>Penstock");
        assertThat(page.toLowerCase(Locale.ROOT))
                .contains("content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';")
                .contains("x-content-type-options: nosniff")
                .doesNotContain("https://", "http://", "<style", "onclick", "style=");
        assertThat(get("/page.css", host())).startsWith("HTTP/1.1 200").doesNotContain("url(", "@import");
        assertThat(get("/page.js", "localhost:" + server.address().getPort()))
                .startsWith("HTTP/1.1 200")
                .doesNotContain("http://", "https://", "innerHTML", "eval(");
        assertThat(get("/demo.js", host())).startsWith("HTTP/1.1 200").doesNotContain("innerHTML", "eval(");
        assertThat(get("/plain", host())).startsWith("HTTP/1.1 200").endsWith("text\n");
    }

    private static PageServer open(int port) {
        return PageServer.open(port, "watch", seen -> new Show.Frame("{}", 0), Map.of(), Map.of());
    }

    @Test
    void request_underAnotherName_isTurnedAway() throws IOException {
        int port = server.address().getPort();

        for (String host : List.of("evil.example", "evil.example:" + port, "127.0.0.1.evil.example:" + port)) {
            assertThat(get("/", host)).as(host).startsWith("HTTP/1.1 403").doesNotContain("<title>");
            assertThat(status("/events", host)).as(host).isEqualTo("HTTP/1.1 403");
        }
        assertThat(ask("GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.0 403");
    }

    @Test
    void requests_sentByHalf_stopNoOther() throws IOException {
        List<Socket> halves = new ArrayList<>();
        try {
            for (int i = 0; i < 30; i++) {
                Socket half = new Socket(
                        InetAddress.getByAddress(LOOPBACK), server.address().getPort());
                halves.add(half);
                half.getOutputStream().write("GET / HTTP/1.1\r\nHost: ".getBytes(StandardCharsets.US_ASCII));
            }

            assertThat(get("/", host())).startsWith("HTTP/1.1 200");
            for (Socket half : halves) {
                assertThat(half.getInputStream().read())
                        .as("closed by the server")
                        .isEqualTo(-1);
            }
        } finally {
            for (Socket half : halves) {
                half.close();
            }
        }
    }

    @Test
    void request_ofAnotherPage_isTurnedAway() throws IOException {
        for (String site : List.of("cross-site", "same-site")) {
            assertThat(ask("GET /events HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nSec-Fetch-Site: %s\r\n\r\n"
                            .formatted(host(), site)))
                    .startsWith("HTTP/1.1 403");
        }
    }

    @Test
    void control_fromAnotherOrigin_changesNothing() throws IOException {
        String body = "{\"value\":3}";

        for (String origin : List.of("http://evil.example", "null", "https://" + host(), "http://127.0.0.1:1")) {
            assertThat(post("/control/knob", JSON + "Origin: " + origin + "\r\n", body))
                    .as(origin)
                    .startsWith("HTTP/1.1 403");
        }
        assertThat(value).hasValue(-1);
        assertThat(post("/control/knob", JSON + "Origin: http://" + host() + "\r\n", body))
                .startsWith("HTTP/1.1 200")
                .endsWith("{\"said\":\"turned to 3\"}");
        assertThat(value).hasValue(3);
    }

    @Test
    void control_askedWrongly_changesNothingAndSaysWhy() throws IOException {
        assertThat(get("/control/knob", host())).startsWith("HTTP/1.1 405").contains("only POST");
        assertThat(post("/control/nose", JSON, "{\"value\":3}")).startsWith("HTTP/1.1 404");
        assertThat(post("/control/knob", "Content-Type: text/plain\r\n", "{\"value\":3}"))
                .startsWith("HTTP/1.1 415");
        assertThat(post("/control/knob", "", "{\"value\":3}")).startsWith("HTTP/1.1 415");
        assertThat(post("/control/knob", JSON, "{\"value\":3}" + " ".repeat(2000)))
                .startsWith("HTTP/1.1 413");
        for (String body : List.of("", "{", "[]", "3", "{\"value\":\"x\"}", "{\"value\":3.5}", "{\"other\":3}")) {
            assertThat(post("/control/knob", JSON, body)).as(body).startsWith("HTTP/1.1 400");
        }
        assertThat(value).hasValue(-1);
    }

    @Test
    void request_forNothingThereIs_isNotFound() throws IOException {
        assertThat(get("/page.java", host())).startsWith("HTTP/1.1 404");
        assertThat(get("/../page.js", host())).startsWith("HTTP/1.1 404");
        assertThat(get("/package-info.class", host())).startsWith("HTTP/1.1 404");
        assertThat(post("/events", JSON, "{}")).startsWith("HTTP/1.1 405");
    }

    @Test
    void events_asTheyAreRead_goOnWhereTheBrowserIs() throws IOException {
        try (Socket socket = connect()) {
            assertThat(frames(socket, 3)).containsExactly("{\"seen\":0}", "{\"seen\":1}", "{\"seen\":2}");
        }
    }

    private List<String> frames(Socket socket, int count) throws IOException {
        socket.getOutputStream()
                .write("GET /events HTTP/1.1\r\nHost: %s\r\n\r\n"
                        .formatted(host())
                        .getBytes(StandardCharsets.ISO_8859_1));
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        List<String> data = new ArrayList<>();
        String line = lines.readLine();
        while (line != null && data.size() < count) {
            if (line.startsWith("data: ")) {
                data.add(line.substring("data: ".length()));
            }
            line = lines.readLine();
        }
        return data;
    }

    @Test
    void browser_thatReadsNothing_holdsOneFrameAndNobodyElse() throws Exception {
        AtomicInteger drawn = new AtomicInteger();
        String large = "\"" + "x".repeat(4 << 20) + "\"";
        CountDownLatch stuck = new CountDownLatch(2);
        try (PageServer other = PageServer.open(
                        0,
                        "demo",
                        seen -> {
                            drawn.incrementAndGet();
                            stuck.countDown();
                            return new Show.Frame(large, seen + 1);
                        },
                        Map.of("knob", json -> "turned"),
                        Map.of());
                Socket first = connect(other);
                Socket second = connect(other)) {
            String request = "GET /events HTTP/1.1\r\nHost: %s\r\n\r\n"
                    .formatted(other.address().getAuthority());
            first.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            second.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            stuck.await();

            // each control wakes all who watch: a server that did not wait for them would draw up a frame for each
            String turn =
                    "POST /control/knob HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%sContent-Length: 11\r\n\r\n{\"value\":1}"
                            .formatted(other.address().getAuthority(), JSON);
            for (int i = 0; i < 20; i++) {
                try (Socket socket = connect(other)) {
                    socket.getOutputStream().write(turn.getBytes(StandardCharsets.ISO_8859_1));
                    assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                            .startsWith("HTTP/1.1 200");
                }
            }
            // what the sockets' buffers take may be one frame more or two
            assertThat(drawn.get()).isLessThanOrEqualTo(6);
        }
    }

    @Test
    void browsers_beyondEight_areTurnedAwayUntilOneGoes() throws IOException {
        List<Socket> watching = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                Socket socket = connect();
                watching.add(socket);
                assertThat(frames(socket, 1)).hasSize(1);
            }

            assertThat(status("/events", host())).isEqualTo("HTTP/1.1 503");
            assertThat(get("/", host())).startsWith("HTTP/1.1 200");

            watching.remove(0).close();
            String answer = "HTTP/1.1 503";
            while (answer.startsWith("HTTP/1.1 503")) { // until the server has noticed
                answer = status("/events", host());
            }
            assertThat(answer).isEqualTo("HTTP/1.1 200");
        } finally {
            for (Socket socket : watching) {
                socket.close();
            }
        }
    }

    @Test
    void close_whileBrowsersWatch_endsTheirStreams() throws IOException {
        try (Socket socket = connect()) {
            assertThat(frames(socket, 1)).hasSize(1);

            server.close();

            assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
        }
    }

    @Test
    void open_onAPortThatCannotBeHad_saysWhatToDo() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(LOOPBACK))) {
            int port = taken.getLocalPort();

            assertThatThrownBy(() -> open(port))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("--port %d is taken or not allowed; choose another, or 0 for any free one", port);
        }
        assertThatThrownBy(() -> open(65_536)).hasMessage("--port must be in [0, 65536), was 65536");
    }
}
