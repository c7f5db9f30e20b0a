package io.penstock.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileRequestsTest {

    private static final int SAMPLES = 2000;
    private static final String TAIL = " HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final CountedFeed feed = new CountedFeed(SAMPLES, 2000, 1);

    /** Something that is no request for batches, of a kind. */
    private static byte[] nonsense(int number, Random random) {
        String text = switch (number % 12) {
            case 0 -> "GET /batches?resume=%zz" + TAIL;
            case 1 -> "GET /batches?rank=-1" + TAIL;
            case 2 -> "GET /batches?rank=99999999999999999999" + TAIL;
            case 3 -> "GET /batches?resume=@/etc/passwd" + TAIL;
            case 4 -> "POST /batches HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000000\r\n\r\nabc";
            case 5 -> "GET /" + "a".repeat(20_000) + TAIL;
            case 6 -> "GET /status HTTP/1.1\r\nHost: localhost\r\nX: " + "y".repeat(40_000) + "\r\n\r\n";
            case 7 -> "GET /batches HTTP/1.1\r\nHost: evil.example\r\n\r\n";
            case 8 -> "GET /batches"; // and no more
            case 9 -> "PUT /../../etc/passwd" + TAIL;
            case 10 -> "GET /batches?resume=" + "9".repeat(5000) + TAIL;
            default -> "";
        };
        if (!text.isEmpty()) {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
        byte[] noise = new byte[random.nextInt(3000) + 1];
        random.nextBytes(noise);
        return noise;
    }

    private static void send(URI server, byte[] bytes) {
        try (Talk talk = new Talk(server)) {
            talk.send(bytes);
            talk.answer();
        } catch (IOException closed) {
            assertThat(closed).isNotNull(); // as good an answer
        } catch (RuntimeException noAnswer) {
            assertThat(bytes).as("an answer that is none").isNotNull();
        }
    }

    @Tag("repeated")
    @Test
    void requests_thatAreMalformed_changeNothing() throws Exception {
        Random random = new Random(7);
        try (BatchServer server = ServerPlan.of(feed).start();
                Consumer consumer = new Consumer(server.address(), "")) {
            List<Integer> seen = new ArrayList<>(consumer.next());
            for (int number = 0; number < (Boolean.getBoolean("penstock.endurance") ? 1000 : 240); number++) {
                byte[] bytes = nonsense(number, random);
                if (number % 12 == 8 || number % 12 == 11) { // the server may wait for the rest
                    try (Talk talk = new Talk(server.address())) {
                        talk.send(bytes);
                    }
                } else {
                    send(server.address(), bytes);
                }
                if (number % 4 == 0) {
                    seen.addAll(consumer.next());
                }
            }
            seen.addAll(consumer.rest());

            assertThat(seen).isEqualTo(BatchServerTest.order(SAMPLES));
            assertThat(feed.runs()).isOne();
            try (Talk talk = new Talk(server.address())) {
                assertThat(talk.ask("/status").json().path("runs").size()).isLessThanOrEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/batches?resume=no|400|no token",
                "/batches?rank=1|400|rank must be in [0, 1), was 1",
                "/batches?rank=x|400|rank must be a number",
                "/shared?done=-1|400|done must be a number",
                "/shared?next=x|400|next must be a number",
                "/shared?board=yes|400|board must be a number",
                "/elsewhere|404|see /batches",
                "/batches?resume=%ff%|400|the query cannot be read",
            })
    void request_thatIsWrong_isAnsweredWithWhatIsWrong(String path, int status, String message) throws Exception {
        try (BatchServer server = ServerPlan.of(feed).start();
                Talk talk = new Talk(server.address())) {
            Talk.Answer answer = talk.ask(path);

            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.json().path("error").asText()).contains(message);
        }
    }

    @Test
    void peer_thatNeverAsks_isSentAwayAndOneThatHasAskedIsNot() throws Exception {
        try (BatchServer server =
                        ServerPlan.of(feed).patience(Duration.ofSeconds(1)).start();
                Talk asked = new Talk(server.address())) {
            assertThat(asked.ask("/status").status()).isEqualTo(200);
            try (Talk silent = new Talk(server.address())) {
                silent.send("GET /batches HTTP/1.1\r\nX: ".getBytes(StandardCharsets.US_ASCII));

                assertThatThrownBy(silent::answer)
                        .isInstanceOf(IOException.class)
                        .isNotInstanceOf(SocketTimeoutException.class);
            }

            assertThat(asked.ask("/status").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/batches", "/shared", "/status", "/none"})
    void page_ofAnotherServer_isForbidden(String path) throws Exception {
        for (String header : List.of("Origin: http://evil.example", "Sec-Fetch-Site: cross-site")) {
            try (BatchServer server = ServerPlan.of(feed).start();
                    Talk talk = new Talk(server.address())) {
                talk.send("GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n"
                        .formatted(path, header)
                        .getBytes(StandardCharsets.US_ASCII));

                assertThat(talk.answer().status()).isEqualTo(403);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "evil.example,403",
        "127.0.0.1.evil.example,403",
        "localhost:8080,200",
        "[::1]:80,200",
        "127.0.0.1,200",
    })
    void page_thatCallsItselfLoopback_isNotAnsweredByItsName(String host, int status) throws Exception {
        try (BatchServer server = ServerPlan.of(feed).start();
                Talk talk = new Talk(server.address())) {
            talk.send("GET /status HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(host).getBytes(StandardCharsets.US_ASCII));

            assertThat(talk.answer().status()).isEqualTo(status);
        }
    }
}
