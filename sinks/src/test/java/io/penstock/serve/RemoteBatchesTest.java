package io.penstock.serve;

import static io.penstock.serve.Eventually.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.serve.client.RemoteBatch;
import io.penstock.serve.client.RemoteBatches;
import io.penstock.tensor.Tensor;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;

class RemoteBatchesTest {

    private static final int SAMPLES = 402; // 101 batches an epoch
    private static final int BYTES = 64;

    private final List<CountedFeed> feeds = new ArrayList<>();
    private final List<BatchServer> servers = new ArrayList<>();

    private BatchServer start(int samples, int port, Duration delay) {
        CountedFeed feed = new CountedFeed(samples, BYTES, 1, 2, delay);
        BatchServer server = ServerPlan.of(feed).port(port).start();
        feeds.add(feed);
        servers.add(server);
        return server;
    }

    @AfterEach
    void closeAll() {
        servers.forEach(BatchServer::close);
    }

    private List<URI> addresses() {
        return servers.stream().map(BatchServer::address).toList();
    }

    /** Epoch, token and indices of a batch, whose bytes are checked. */
    private static String line(RemoteBatch remote) {
        Tensor rows = remote.batch().tensor("bytes");
        ByteBuffer bytes = rows.data();
        List<Integer> indices = new ArrayList<>();
        for (int row = 0; row < remote.batch().size(); row++) {
            ByteBuffer of = bytes.slice(row * BYTES, BYTES);
            int index = of.getInt(0);
            assertThat(of)
                    .isEqualTo(ByteBuffer.wrap(CountedFeed.sample(index, BYTES).toByteArray()));
            indices.add(index);
        }
        return remote.batch().epoch() + " " + remote.resume() + " " + indices;
    }

    /** What one server streams. */
    private List<String> wanted(String query) throws Exception {
        List<String> lines = new ArrayList<>();
        try (BatchServer one =
                        ServerPlan.of(new CountedFeed(SAMPLES, BYTES, 1, 2)).start();
                Consumer consumer = new Consumer(one.address(), query)) {
            for (List<Integer> batch = consumer.next(); !batch.isEmpty(); batch = consumer.next()) {
                lines.add((lines.size() < 101 ? "0 " : "1 ") + consumer.token() + " " + batch);
            }
        }
        return lines;
    }

    @ParameterizedTest
    @ValueSource(ints = 4)
    void batches_ofAnyNumberOfServers_areThoseOfOneStream(int number) throws Exception {
        IntStream.range(0, number).forEach(i -> start(SAMPLES, 0, Duration.ZERO));
        List<String> wanted = wanted("");

        List<String> all = RemoteBatches.of(addresses()).stream()
                .map(RemoteBatchesTest::line)
                .collectList()
                .block();
        List<String> rest = RemoteBatches.of(addresses()).resumeAt("1,8").stream()
                .map(RemoteBatchesTest::line)
                .collectList()
                .block();

        assertThat(all).isEqualTo(wanted).hasSize(202);
        assertThat(rest).isEqualTo(wanted.subList(103, 202));
        assertThat(feeds).allMatch(feed -> feed.loads() > 0);
        await(() -> feeds.stream().allMatch(feed -> feed.out() == 0));
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void batches_ofFewerServers_areThoseOfOneStream(int number) throws Exception {
        batches_ofAnyNumberOfServers_areThoseOfOneStream(number);
    }

    @ParameterizedTest
    @ValueSource(ints = 50)
    void server_thatIsLostAndComesBack_changesNoBatch(int batch) throws Exception {
        IntStream.range(0, 3).forEach(i -> start(SAMPLES, 0, Duration.ofMillis(2)));
        List<String> lines = new ArrayList<>();

        for (RemoteBatch remote : RemoteBatches.of(addresses()).stream().toIterable(1)) {
            lines.add(line(remote));
            if (lines.size() == batch) {
                servers.get(1).close();
            } else if (lines.size() == batch + 30) {
                start(SAMPLES, servers.get(1).address().getPort(), Duration.ofMillis(2));
            }
        }

        assertThat(lines).isEqualTo(wanted(""));
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(ints = {1, 150})
    void server_thatIsLostSoonerOrLater_changesNoBatch(int batch) throws Exception {
        server_thatIsLostAndComesBack_changesNoBatch(batch);
    }

    @Test
    void server_thatIsMuchSlower_isPassedBy() throws Exception {
        start(SAMPLES, 0, Duration.ofMillis(5));
        start(SAMPLES, 0, Duration.ofMillis(5));
        start(SAMPLES, 0, Duration.ofMillis(500));

        List<String> all = RemoteBatches.of(addresses()).stream()
                .map(RemoteBatchesTest::line)
                .collectList()
                .block();

        assertThat(all).isEqualTo(wanted(""));
        assertThat(feeds.get(2).loads()).isLessThan(feeds.get(0).loads() / 2);
    }

    @Test
    void server_thatNeverAnswers_isPassedByAndItsWorkEnds() throws Exception {
        start(SAMPLES, 0, Duration.ofDays(1));
        start(SAMPLES, 0, Duration.ofMillis(1));
        CountedFeed never = feeds.get(0);

        List<String> all = RemoteBatches.of(addresses()).stream()
                .map(RemoteBatchesTest::line)
                .collectList()
                .block();

        assertThat(all).isEqualTo(wanted(""));
        assertThat(never.runs()).isPositive();
        await(() -> never.ended() == never.runs());
    }

    @RepeatedTest(10) // a request that began while others were being cancelled came once in forty
    void stream_thatIsCancelled_endsTheWorkOfEveryServer() throws Exception {
        start(SAMPLES, 0, Duration.ofDays(1));
        start(SAMPLES, 0, Duration.ofDays(1));

        Disposable stream = RemoteBatches.of(addresses()).stream().subscribe();
        await(() -> feeds.stream().allMatch(feed -> feed.runs() == 1));
        stream.dispose();

        await(() -> feeds.stream().allMatch(feed -> feed.ended() == 1));
    }

    @Test
    void server_ofAnotherPlan_isNamedWithWhatDiffers() {
        start(SAMPLES, 0, Duration.ZERO);
        start(SAMPLES + 1, 0, Duration.ZERO);

        assertThatThrownBy(() -> RemoteBatches.of(addresses()).stream().blockLast())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("has another plan than http://127.0.0.1:")
                .hasMessageMatching(".*samples 40[23] there, 40[23] here");
    }

    @Test
    void token_ofAnotherRun_isRefusedAtOnce() {
        start(SAMPLES, 0, Duration.ZERO);

        assertThatThrownBy(() -> RemoteBatches.of(addresses()).resumeAt("nonsense").stream()
                        .blockLast())
                .hasMessageContaining("answered 400: this is no token of this run");
    }
}
