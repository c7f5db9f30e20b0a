package io.penstock.serve;

import static io.penstock.serve.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumberedBatchesTest {

    private static final int SAMPLES = 26; // 7 batches an epoch, the last of two

    @TempDir
    private Path folder;

    /** Servers take turns, and each batch is asked for in the order of numbers from the last to the first. */
    @ParameterizedTest
    @CsvSource({"1, '0,0', 14", "2, '0,0', 14", "4, '0,12', 11", "3, '1,24', 1", "2, '2,0', 0"})
    void batches_ofAnyServers_areThoseOfOneStream(int servers, String resume, int batches) throws Exception {
        List<BatchServer> all = new ArrayList<>();
        try (BatchServer one = ServerPlan.of(new CountedFeed(SAMPLES, 64, 1, 2)).start()) {
            for (int i = 0; i < servers; i++) {
                all.add(ServerPlan.of(new CountedFeed(SAMPLES, 64, 1, 2)).start());
            }
            assertThat(plan(one, "?resume=" + resume).path("count").asInt()).isEqualTo(batches);
            try (Consumer whole = new Consumer(one.address(), "?resume=" + resume)) {
                List<List<Integer>> wanted = new ArrayList<>();
                List<String> tokens = new ArrayList<>();
                for (int number = 0; number < batches; number++) {
                    wanted.add(whole.next());
                    tokens.add(whole.token());
                }

                for (int number = batches - 1; number >= 0; number--) {
                    String query = "?resume=" + resume + "&batch=" + number;
                    try (Consumer single =
                            new Consumer(all.get(number % servers).address(), query)) {
                        assertThat(single.rest()).isEqualTo(wanted.get(number));
                        assertThat(single.token()).isEqualTo(tokens.get(number));
                    }
                }
            }
        } finally {
            all.forEach(BatchServer::close);
        }
    }

    @Test
    void batch_alone_loadsItsOwnSamplesAndReturnsItsMemory() throws Exception {
        CountedFeed feed = new CountedFeed(1000, 64, 1);
        try (BatchServer server = ServerPlan.of(feed).start();
                Consumer single = new Consumer(server.address(), "?batch=17")) {
            assertThat(single.rest()).hasSize(CountedFeed.BATCH);

            assertThat(feed.loads()).isEqualTo(CountedFeed.BATCH);
            await(() -> feed.out() == 0 && feed.ended() == feed.runs());
        }
    }

    @Test
    void batch_ofSeveralRanks_needsTheRank() throws Exception {
        try (BatchServer server = ServerPlan.of(new CountedFeed(SAMPLES, 64, 2)).start();
                Consumer none = new Consumer(server.address(), "?batch=0");
                Consumer one = new Consumer(server.address(), "?batch=0&rank=1")) {
            assertThat(none.status()).isEqualTo(400);
            assertThat(one.rest()).hasSize(CountedFeed.BATCH);
        }
    }

    @Test
    void plan_saysWhatMakesServersAlike() throws Exception {
        try (BatchServer one = ServerPlan.of(new CountedFeed(SAMPLES, 64, 1)).start();
                BatchServer same =
                        ServerPlan.of(new CountedFeed(SAMPLES, 64, 1)).start();
                BatchServer other =
                        ServerPlan.of(new CountedFeed(SAMPLES + 1, 64, 1)).start()) {
            assertThat(plan(one, "")).isEqualTo(plan(same, ""));
            assertThat(plan(one, "").path("left").asInt()).isEqualTo(7);
            String fingerprint = plan(one, "").path("fingerprint").asText();
            assertThat(plan(other, "").path("fingerprint").asText()).isNotEqualTo(fingerprint);
            try (Consumer right = new Consumer(one.address(), "?batch=0&plan=" + fingerprint);
                    Consumer wrong = new Consumer(other.address(), "?batch=0&plan=" + fingerprint);
                    Consumer beyond = new Consumer(one.address(), "?batch=7")) {
                assertThat(right.rest()).hasSize(CountedFeed.BATCH);
                assertThat(wrong.status()).isEqualTo(409);
                assertThat(beyond.status()).isEqualTo(400);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/batches?", "/batches?batch=0&", "/plan?", "/shared?", "/shared?done=0&next=0&", "/status?"})
    void path_withThePlanOfAnotherServer_isRefused(String path) throws Exception {
        try (BatchServer server = ServerPlan.of(new CountedFeed(SAMPLES, 64, 1))
                        .shared(folder.resolve("shared"))
                        .start();
                Talk talk = new Talk(server.address())) {
            assertThat(talk.ask(path + "plan=xx").status()).isEqualTo(409);
        }
    }

    private static JsonNode plan(BatchServer server, String query) throws Exception {
        try (Talk talk = new Talk(server.address())) {
            return talk.ask("/plan" + query).json();
        }
    }
}
