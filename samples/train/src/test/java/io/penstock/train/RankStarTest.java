package io.penstock.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.order.Shard;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RankStarTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(2);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private int port;

    @BeforeEach
    void findPort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
    }

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    private Future<float[]> mean(int rank, int world, float... values) {
        return threads.submit(() -> {
            try (Ranks ranks = RankStar.meet(Shard.of(rank, world), port, 5, LONG)) {
                float[] mean = values.clone();
                ranks.average(mean);
                ranks.average(mean);
                return mean;
            }
        });
    }

    @Test
    void gradients_ofThreeRanks_areTheirMeanEverywhere() throws Exception {
        List<Future<float[]>> means = IntStream.range(0, 3)
                .mapToObj(rank -> mean(2 - rank, 3, 2 - rank, 3 * (2 - rank)))
                .toList();

        for (Future<float[]> mean : means) {
            assertThat(mean.get()).containsExactly(1, 3);
        }
    }

    @Test
    void rank_ofAnotherState_isRefusedAndTheRightOneTaken() throws Exception {
        Future<float[]> first = mean(0, 2, 1);

        assertThatThrownBy(() -> RankStar.meet(Shard.of(1, 2), port, 6, LONG))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("another data set");
        assertThat(mean(1, 2, 3).get()).containsExactly(2);
        assertThat(first.get()).containsExactly(2);
    }

    @Test
    void rank_thatIsGone_endsTheOthers() throws Exception {
        Future<float[]> first = mean(0, 2, 1);
        Ranks second = RankStar.meet(Shard.of(1, 2), port, 5, LONG);
        second.close();

        assertThatThrownBy(first::get)
                .hasCauseInstanceOf(StoreException.class)
                .hasMessageContaining("has lost another");
    }

    @Test
    void rank_withNobodyElse_givesUpInTime() {
        assertThatThrownBy(() -> RankStar.meet(Shard.of(0, 2), port, 5, SHORT))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("only 1 of 2 came");
        assertThatThrownBy(() -> RankStar.meet(Shard.of(1, 2), port, 5, SHORT))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("rank 0 is not there");
    }

    @Test
    void peer_thatSendsNonsense_isPassedOver() throws Exception {
        Future<float[]> first = mean(0, 2, 1);
        for (boolean connected = false; !connected; ) {
            try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), port)) {
                stranger.getOutputStream()
                        .write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                connected = true;
            } catch (IOException e) {
                Thread.onSpinWait(); // not there yet
            }
        }

        assertThat(mean(1, 2, 3).get()).containsExactly(2);
        assertThat(first.get()).containsExactly(2);
    }
}
