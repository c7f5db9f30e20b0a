package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.await;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Entry;
import io.penstock.cache.Lease;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** A cluster of three real masters on this machine. */
class ClusterTest {

    private static final int NODES = 3;
    private static final int SLOTS = 16_384;

    @TempDir
    Path directory;

    private final List<TestServer> nodes = new ArrayList<>();

    @BeforeEach
    void start() {
        for (int i = 0; i < NODES; i++) {
            TestServer node = TestServer.start(
                    directory,
                    "--cluster-enabled",
                    "yes",
                    "--cluster-config-file",
                    "nodes-" + i + ".conf",
                    "--cluster-node-timeout",
                    "1000",
                    "--cluster-require-full-coverage",
                    "no");
            nodes.add(node);
            List<String> slots = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            for (int slot = i * SLOTS / NODES; slot < (i + 1) * SLOTS / NODES; slot++) {
                slots.add("" + slot);
            }
            node.ask(slots.toArray(new String[0]));
        }
        for (TestServer node : nodes.subList(1, NODES)) {
            nodes.get(0).ask("CLUSTER", "MEET", "127.0.0.1", "" + node.port());
        }
        for (TestServer node : nodes) {
            await(() -> node.ask("CLUSTER", "INFO").contains("cluster_state:ok")
                    && node.ask("CLUSTER", "INFO").contains("cluster_slots_ok:" + SLOTS)
                    && node.ask("CLUSTER", "INFO").contains("cluster_known_nodes:" + NODES));
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(TestServer::close);
    }

    private RedisOptions options() {
        String hosts = nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
        return RedisTier.at("redis-cluster://" + hosts + "?name=c");
    }

    @Test
    void cluster_ofThree_holdsAllAndLeasesAll() {
        try (RedisTier first = options().timeout(TIMEOUT).open();
                RedisTier second = options().timeout(TIMEOUT).open()) {
            for (int i = 0; i < 300; i++) {
                TierKit.put(first, key(i), value(i)).block(TIMEOUT);
            }
            first.flush().block(TIMEOUT);

            assertThat(Flux.range(0, 300)
                            .flatMapSequential(i -> second.get(key(i)))
                            .collectList()
                            .block(TIMEOUT))
                    .hasSize(300)
                    .allSatisfy(found -> assertThat(found.getLong(50)).isEqualTo(~found.getLong(0)));
            for (TestServer node : nodes) {
                assertThat(Integer.parseInt(node.ask("DBSIZE"))).isBetween(60, 140);
            }
            assertThat(second.keys().distinct().count().block(TIMEOUT)).isEqualTo(300);
            await(() -> second.statistics().samples() == 300);
            for (int i = 300; i < 330; i++) {
                Lease lease = first.lease(key(i)).block(TIMEOUT);
                var waiting = second.lease(key(i)).toFuture();
                lease.release();
                waiting.orTimeout(300, java.util.concurrent.TimeUnit.SECONDS)
                        .join()
                        .release();
            }
        }
    }

    /** Two thirds go on at full speed, the rest misses at once, and nothing wrong comes; when it is back, so is its part. */
    @Tag("endurance")
    @Test
    void cluster_thatLosesANode_goesOnWithTheOthers() {
        try (RedisTier tier = options().timeout(Duration.ofSeconds(1)).open()) {
            await(() -> fill(tier, 300) == 300);

            nodes.get(1).kill();

            await(() -> {
                int found = found(tier, 300);
                assertThat(found).isLessThan(300);
                return found >= 150;
            });
            await(() -> countAccepted(tier, 300) < 300);
            assertThat(countAccepted(tier, 300)).isBetween(100, 299);
            nodes.get(1).start();
            await(() -> fill(tier, 300) == 300);
            assertThat(found(tier, 300)).isPositive();
        }
    }

    private static int countAccepted(RedisTier tier, int samples) {
        int accepted = 0;
        for (int i = 0; i < samples; i++) {
            accepted += tier.accepts(key(i), Entry.UNKNOWN) ? 1 : 0;
        }
        return accepted;
    }

    private static int fill(RedisTier tier, int samples) {
        for (int i = 0; i < samples; i++) {
            TierKit.put(tier, key(i), value(i)).block(TIMEOUT);
        }
        tier.flush().block(TIMEOUT);
        return found(tier, samples);
    }

    private static int found(RedisTier tier, int samples) {
        List<Integer> found = Flux.range(0, samples)
                .flatMap(i -> tier.get(key(i)).map(bytes -> {
                    ByteBuffer expected = value(i);
                    assertThat(bytes).isEqualTo(expected);
                    return i;
                }))
                .collectList()
                .block(TIMEOUT);
        return found.size();
    }
}
