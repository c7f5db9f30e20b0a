package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.SampleKey;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** What is in the server and was not put there by a tier: anyone may write to a server. */
class RedisDamageTest {

    @TempDir
    static Path directory;

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void empty() {
        server.ask("FLUSHALL");
    }

    private static RedisTier open() {
        return RedisTier.at(server.uri()).name("a").timeout(TIMEOUT).open();
    }

    private static void put(RedisTier tier, long number) {
        assertThat(TierKit.put(tier, key(number), value(number)).block(TIMEOUT)).isTrue();
        tier.flush().block(TIMEOUT);
    }

    private static String name(long number) {
        return new String(new KeySpace("a").sample(key(number)), StandardCharsets.US_ASCII);
    }

    /** Changed, cut, another version's, another key's, empty. */
    private static List<Runnable> damages() {
        return List.of(
                () -> server.ask("SETRANGE", name(1), "60", "x"),
                () -> server.ask("SETRANGE", name(1), "0", "x"),
                () -> server.ask("SETRANGE", name(1), "3", "\u0002"),
                () -> server.ask("SETRANGE", name(1), "4", "x"),
                () -> server.ask("SETRANGE", name(1), "26", "x"),
                () -> server.ask("APPEND", name(1), "x"),
                () -> server.ask("SET", name(1), ""),
                () -> server.ask("SET", name(1), "x".repeat(200)),
                () -> server.ask("RENAME", name(2), name(1)));
    }

    @Test
    void get_ofADamagedValue_isAMissAndTheNextPutReplacesIt() {
        try (RedisTier tier = open();
                RedisTier other = open()) {
            for (Runnable damage : damages()) {
                server.ask("FLUSHALL");
                put(tier, 1);
                put(tier, 2);

                damage.run();

                assertThat(tier.get(key(1)).block(TIMEOUT)).isNull();
                put(tier, 1);
                assertThat(tier.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
                assertThat(other.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
            }
            assertThat(tier.statistics().errors()).isEqualTo(damages().size());
        }
    }

    @Test
    void contains_ofADamagedValue_isFalseAndTheNextPutReplacesIt() {
        try (RedisTier tier = open()) {
            for (Runnable damage : damages()) {
                server.ask("FLUSHALL");
                put(tier, 1);
                put(tier, 2);
                assertThat(tier.contains(key(1)).block(TIMEOUT)).isTrue();

                damage.run();

                assertThat(tier.contains(key(1)).block(TIMEOUT)).isFalse();
                put(tier, 1);
                assertThat(tier.contains(key(1)).block(TIMEOUT)).isTrue();
            }
            assertThat(tier.statistics().errors()).isEqualTo(damages().size());
            assertThat(tier.statistics().hits() + tier.statistics().misses()).isZero();
        }
    }

    @Test
    void put_whereAKeyOfAnotherTypeIs_replacesIt() {
        List<List<String>> kinds = List.of(
                List.of("LPUSH", name(1), "x"), List.of("HSET", name(1), "x", "y"), List.of("SADD", name(1), "x"));
        try (RedisTier tier = open()) {
            for (List<String> kind : kinds) {
                server.ask("FLUSHALL");
                server.ask(kind.toArray(String[]::new));

                assertThat(tier.contains(key(1)).block(TIMEOUT)).isFalse();
                assertThat(tier.get(key(1)).block(TIMEOUT)).isNull();
                put(tier, 1);

                assertThat(tier.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
            }
        }
    }

    /** What another rank put meanwhile is no damage: only what was seen is removed. */
    @Test
    void removal_ofADamagedValueThatWasReplaced_leavesTheNewOne() {
        try (RedisTier tier = open();
                RedisTier other = open()) {
            for (int round = 0; round < 50; round++) {
                server.ask("SET", name(1), "damaged " + round);

                Flux.merge(
                                tier.get(key(1)),
                                other.get(key(1)),
                                TierKit.put(tier, key(1), value(1)),
                                TierKit.put(other, key(1), value(1)))
                        .blockLast(TIMEOUT);
                tier.flush().block(TIMEOUT);
                other.flush().block(TIMEOUT);
                tier.get(key(1)).block(TIMEOUT);
                other.get(key(1)).block(TIMEOUT);
                put(tier, 1);

                assertThat(other.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
            }
        }
    }

    @Test
    void ranks_thatSeeADamagedValueAtOnce_loadItOnce() {
        Rank.Numbers numbers = new Rank.Numbers(20);
        try (RedisTier first = open();
                RedisTier second = open()) {
            for (int sample = 0; sample < 20; sample++) {
                int number = sample;
                String name = new String(
                        new KeySpace("a")
                                .sample(numbers.cached(first).id(number).key()),
                        StandardCharsets.US_ASCII);
                server.ask("SET", name, "damaged");

                List<ByteBuffer> both = Flux.just(first, second)
                        .flatMap(tier -> numbers.cached(tier).get(number))
                        .collectList()
                        .block(TIMEOUT);

                assertThat(both).containsExactly(numbers.value(number), numbers.value(number));
                assertThat(numbers.loads).hasValue(sample + 1L);
            }
        }
    }

    /** Leases of a tier end by themselves; one that does not is another's mistake, and would be waited for for ever. */
    @Test
    void lease_withoutAnEnd_isTaken() {
        try (RedisTier tier = open()) {
            for (String command : List.of("SET", "LPUSH")) {
                SampleKey key = key(command.length()); // one each: a release is not waited for
                server.ask(command, new String(new KeySpace("a").lease(key), StandardCharsets.US_ASCII), "x");

                tier.lease(key).block(TIMEOUT).release();
                tier.lease(key).block(TIMEOUT).release();
            }
        }
    }

    @Test
    void usage_thatIsDamaged_changesNothingButTheNumbers() {
        String usage = new String(new KeySpace("a").usage(), StandardCharsets.US_ASCII);
        for (List<String> damage : List.of(
                List.of("SET", usage, "x"),
                List.of("HSET", usage, "samples", "many", "bytes", "-1"),
                List.of("HSET", usage, "samples", "99999999999999999999"))) {
            server.ask("FLUSHALL");
            server.ask(damage.toArray(String[]::new));
            try (RedisTier tier = open()) {
                put(tier, 1);

                assertThat(tier.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
                assertThat(tier.statistics().samples()).isNotNegative();
            }
        }
    }
}
