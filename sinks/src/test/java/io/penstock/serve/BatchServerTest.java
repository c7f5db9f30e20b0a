package io.penstock.serve;

import static io.penstock.serve.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatchServerTest {

    private static final int SAMPLES = 60;

    private final CountedFeed feed = new CountedFeed(SAMPLES, 64, 1);

    static List<Integer> order(int samples) {
        Draws draws = Sampler.shuffled(1).draws(samples);
        return IntStream.range(0, samples)
                .mapToObj(number -> Math.toIntExact(draws.at(number).index()))
                .toList();
    }

    @Test
    void consumer_ofTheWhole_getsEverySampleInOrder() throws Exception {
        try (BatchServer server = ServerPlan.of(feed).start();
                Consumer consumer = new Consumer(server.address(), "")) {
            List<Integer> all = consumer.rest();
            server.served().block();

            assertThat(all).isEqualTo(order(SAMPLES));
            assertThat(consumer.status()).isEqualTo(200);
            assertThat(consumer.header("content-type")).isEqualTo(BatchServer.MEDIA_TYPE);
        }
        await(() -> feed.out() == 0);
    }

    @Test
    void consumer_thatComesBack_missesAndRepeatsNothing() throws Exception {
        List<Integer> seen = new ArrayList<>();
        try (BatchServer server = ServerPlan.of(feed).start()) {
            String token = "0,0";
            for (int batches = 1; seen.size() < SAMPLES; batches++) {
                try (Consumer consumer = new Consumer(server.address(), "?resume=" + token)) {
                    for (int i = 0; i < batches; i++) {
                        seen.addAll(consumer.next());
                    }
                    token = consumer.token();
                }
            }

            assertThat(seen).isEqualTo(order(SAMPLES));
            await(() -> feed.out() == 0 && feed.ended() == feed.runs());
        }
    }

    @Test
    void consumers_thatBeginTogether_shareOneRun() throws Exception {
        try (BatchServer server = ServerPlan.of(feed).consumers(2).start()) {
            List<List<Integer>> both = two(server);
            server.served().block();

            assertThat(both).containsOnly(order(SAMPLES));
            assertThat(feed.runs()).isOne();
            assertThat(feed.loads()).isEqualTo(SAMPLES);
        }
    }

    /** A consumer that has the end mark closes the connection, perhaps before the thread that wrote the mark continues. */
    @Test
    void consumers_thatLeaveWithTheEndMark_areCounted() {
        for (int round = 0; round < 100; round++) {
            try (BatchServer server =
                    ServerPlan.of(new CountedFeed(40, 64, 1)).consumers(2).start()) {
                two(server);
                server.served().block(Duration.ofSeconds(30));
            }
        }
    }

    private static List<List<Integer>> two(BatchServer server) {
        return IntStream.range(0, 2)
                .parallel()
                .mapToObj(each -> {
                    try (Consumer consumer = new Consumer(server.address(), "")) {
                        return consumer.rest();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
    }

    @Test
    void consumers_asRanks_getTheirPartsAndComeBackToThem() throws Exception {
        CountedFeed ranked = new CountedFeed(SAMPLES, 64, 3);
        try (BatchServer server = ServerPlan.of(ranked).start();
                Consumer zero = new Consumer(server.address(), "");
                Consumer two = new Consumer(server.address(), "?rank=2")) {
            List<Integer> ofOne = new ArrayList<>();
            String token;
            try (Consumer one = new Consumer(server.address(), "")) {
                assertThat(List.of(zero, one, two))
                        .extracting(consumer -> consumer.header("penstock-rank"))
                        .containsExactly("0", "1", "2");
                try (Consumer more = new Consumer(server.address(), "")) {
                    assertThat(more.status()).isEqualTo(503);
                }
                ofOne.addAll(one.next());
                token = one.token();
            }
            try (Consumer again = new Consumer(server.address(), "?rank=1&resume=" + token)) {
                ofOne.addAll(again.rest());
            }
            zero.rest();
            two.rest();
            server.served().block();

            List<Integer> order = order(SAMPLES);
            assertThat(ofOne)
                    .isEqualTo(IntStream.range(0, SAMPLES / 3)
                            .mapToObj(i -> order.get(3 * i + 1))
                            .toList());
        }
    }

    @Test
    void slowConsumer_holdsTheRunBack() throws Exception {
        CountedFeed large = new CountedFeed(1000, 100_000, 1);
        CountedFeed same = new CountedFeed(1000, 100_000, 1);
        long inSockets = 64; // batches: as many as buffers of the kernel could hold, and more
        try (BatchServer server = ServerPlan.of(large).start();
                Consumer consumer = new Consumer(server.address(), "")) {
            List<Integer> first = consumer.next();

            // the time that another takes for everything, twice
            for (int i = 0; i < 2; i++) {
                try (BatchServer other = ServerPlan.of(same).start();
                        Consumer fast = new Consumer(other.address(), "")) {
                    assertThat(fast.rest()).hasSize(1000);
                }
            }

            assertThat(large.out()).isLessThanOrEqualTo(BatchFeed.SLOTS);
            assertThat(large.loads()).isLessThan(CountedFeed.BATCH * (BatchFeed.SLOTS + inSockets));
            assertThat(first).isEqualTo(order(1000).subList(0, CountedFeed.BATCH));
        }
        await(() -> large.out() == 0 && large.ended() == large.runs());
    }

    @Test
    void consumer_thatTakesNothing_isSentAwayAndCanComeBack() throws Exception {
        CountedFeed large = new CountedFeed(1000, 100_000, 1);
        try (BatchServer server =
                        ServerPlan.of(large).patience(Duration.ofSeconds(1)).start();
                Talk talk = new Talk(server.address())) {
            talk.get("/batches");

            await(() -> large.runs() == 1 && large.ended() == 1 && large.out() == 0);

            try (Consumer consumer = new Consumer(server.address(), "?resume=0,992")) {
                assertThat(consumer.rest()).isEqualTo(order(1000).subList(992, 1000));
            }
        }
    }

    @Test
    void consumer_thatLeavesBeforeTheRunBegins_isNotCountedAsThere() throws Exception {
        try (BatchServer server = ServerPlan.of(feed).consumers(3).start();
                Talk stays = new Talk(server.address());
                Talk other = new Talk(server.address())) {
            stays.get("/batches");
            awaitConsumers(server, 1);
            try (Talk leaves = new Talk(server.address())) {
                leaves.get("/batches");
                awaitConsumers(server, 2);
            }
            awaitConsumers(server, 1);
            other.get("/batches");
            awaitConsumers(server, 2);

            assertThat(feed.runs()).isZero();
            try (Consumer third = new Consumer(server.address(), "")) {
                assertThat(third.rest()).isEqualTo(order(SAMPLES));
            }
        }
    }

    private static void awaitConsumers(BatchServer server, int number) throws Exception {
        await(() -> {
            try (Talk talk = new Talk(server.address())) {
                JsonNode runs = talk.ask("/status").json().path("runs");
                return runs.path(0).path("consumers").asInt() == number;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void token_thatIsNone_isRefusedWithoutARun() throws Exception {
        try (BatchServer server = ServerPlan.of(feed).start()) {
            try (Consumer consumer = new Consumer(server.address(), "?resume=nonsense")) {
                assertThat(consumer.status()).isEqualTo(400);
            }

            assertThat(feed.runs()).isZero();
        }
    }

    @Test
    void position_beyondTheEnd_isAnErrorWithAStatus() throws Exception {
        try (BatchServer server = ServerPlan.of(feed).start();
                Consumer consumer = new Consumer(server.address(), "?resume=0,999")) {
            assertThat(consumer.status()).isEqualTo(500);
        }
    }

    @Test
    void secret_thatIsWrong_getsNothing() throws Exception {
        String secret = "0123456789abcdef";
        try (BatchServer server = ServerPlan.of(feed).secret(secret).start()) {
            for (String wrong : List.of("Bearer 0123456789abcdeg", "Bearer ", "Basic " + secret, "Bearer 0")) {
                try (Consumer consumer = new Consumer(server.address(), "", "Authorization", wrong)) {
                    assertThat(consumer.status()).isEqualTo(401);
                    assertThat(consumer.header("www-authenticate")).isEqualTo("Bearer");
                }
            }
            assertThat(feed.runs()).isZero();
            try (Consumer consumer = new Consumer(server.address(), "", "Authorization", "Bearer " + secret)) {
                assertThat(consumer.rest()).hasSize(SAMPLES);
            }
        }
    }

    @Test
    void beyondLoopback_withoutSecretAndTls_isNotServed() {
        ServerPlan open = ServerPlan.of(feed).host("0.0.0.0");

        assertThatThrownBy(open::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without a bearer token and TLS");
        assertThatThrownBy(open.secret("0123456789abcdef")::start).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void server_thatCloses_doesNotLookLikeTheEnd() throws Exception {
        BatchServer server = ServerPlan.of(new CountedFeed(40_000, 1000, 1)).start();
        try (Consumer consumer = new Consumer(server.address(), "")) {
            consumer.next();

            server.close();

            assertThatThrownBy(consumer::rest).isInstanceOf(IOException.class);
        }
    }

    @Test
    void positions_ofTokens_areTheirs() {
        assertThat(feed.position(feed.token(new Position(3, 4)))).isEqualTo(new Position(3, 4));
    }
}
