package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.await;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.TierKit;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that come and go under a tier: no key moves but those of the one that came or went. */
class ServersTest {

    private static final int KEYS = 300;

    @TempDir
    Path directory;

    private final Settings settings = Settings.STANDARD.times(TIMEOUT, TIMEOUT);
    private final Counts counts = new Counts();
    private final ClientThreads threads = new ClientThreads();
    private final Servers servers =
            new Servers((name, address) -> new Server(name, address, settings, new KeySpace("many"), counts, threads));

    @AfterEach
    void endThreads() {
        threads.close();
    }

    private void become(Map<String, TestServer> now) {
        Map<String, Address> addresses = new LinkedHashMap<>();
        now.forEach((name, server) -> addresses.put(name, Address.of("127.0.0.1", server.port())));
        servers.become(addresses, TIMEOUT).block(TIMEOUT);
    }

    private List<String> owners() {
        return IntStream.range(0, KEYS)
                .mapToObj(i -> servers.of(key(i)).toString())
                .toList();
    }

    private static long found(RedisTier tier) {
        return IntStream.range(0, KEYS)
                .filter(i -> value(i).equals(tier.get(key(i)).block(TIMEOUT)))
                .count();
    }

    private static long stored(TestServer server) {
        String keys = server.ask("KEYS", "penstock:many:*");
        return keys.isEmpty() ? 0 : keys.split("\n", -1).length;
    }

    private static void fill(RedisTier tier) {
        IntStream.range(0, KEYS)
                .forEach(i -> TierKit.put(tier, key(i), value(i)).block(TIMEOUT));
        tier.flush().block(TIMEOUT);
    }

    @Test
    void server_thatComesAndGoes_movesItsOwnShareOnly() {
        try (TestServer a = TestServer.start(directory);
                TestServer b = TestServer.start(directory);
                TestServer c = TestServer.start(directory);
                RedisTier tier = new RedisTier(servers, settings, counts, () -> {})) {
            become(Map.of("a", a, "b", b));
            List<String> before = owners();
            fill(tier);

            become(Map.of("a", a, "b", b, "c", c));
            List<String> during = owners();
            long moved = IntStream.range(0, KEYS)
                    .filter(i -> !during.get(i).equals(before.get(i)))
                    .count();
            assertThat(moved).isBetween(KEYS / 5L, KEYS / 2L);
            assertThat(during)
                    .filteredOn(owner -> owner.endsWith(":" + c.port()))
                    .hasSize((int) moved);
            assertThat(found(tier)).as("with those that are where they were").isEqualTo(KEYS);
            assertThat(found(tier)).isEqualTo(KEYS);
            tier.flush().block(TIMEOUT);
            await(() -> stored(a) + stored(b) == KEYS - moved);
            assertThat(stored(c)).isEqualTo(moved);
            assertThat(tier.statistics().hits()).isEqualTo(2 * KEYS);
            assertThat(tier.statistics().misses()).isZero();

            become(Map.of("a", a, "b", b));
            assertThat(owners()).isEqualTo(before);
            assertThat(found(tier)).as("without those that went").isEqualTo(KEYS - moved);
            assertThat(tier.statistics().misses()).isEqualTo(moved);
        }
    }

    @Test
    void server_thatComesAndIsFull_leavesEachValueWhereItWas() {
        try (TestServer a = TestServer.start(directory);
                TestServer full = TestServer.start(directory, "--maxmemory", "1", "--maxmemory-policy", "noeviction");
                RedisTier tier = new RedisTier(servers, settings, counts, () -> {})) {
            become(Map.of("a", a));
            fill(tier);

            become(Map.of("a", a, "full", full));

            assertThat(found(tier)).isEqualTo(KEYS);
            tier.flush().block(TIMEOUT);
            assertThat(found(tier)).isEqualTo(KEYS);
            assertThat(stored(a)).isEqualTo(KEYS);
        }
    }

    @Test
    void server_thatComesBackAtAnotherPort_hasTheShareThatItHad() {
        try (TestServer a = TestServer.start(directory);
                TestServer b = TestServer.start(directory);
                TestServer again = TestServer.start(directory);
                RedisTier tier = new RedisTier(servers, settings, counts, () -> {})) {
            become(Map.of("a", a, "b", b));
            fill(tier);
            long ofA = owners().stream()
                    .filter(owner -> owner.endsWith(":" + a.port()))
                    .count();

            b.kill();
            become(Map.of("a", a, "b", again));

            assertThat(found(tier)).isEqualTo(ofA);
            fill(tier);
            assertThat(found(tier)).isEqualTo(KEYS);
            assertThat(stored(a)).isEqualTo(ofA);
            assertThat(stored(again)).isEqualTo(KEYS - ofA);
        }
    }
}
