package io.penstock.cache.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Lease;
import io.penstock.cache.SampleKey;
import io.penstock.fault.StoreException;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What the tier in Redis is besides a tier. */
class RedisTierTest {

    static final Duration TIMEOUT = Duration.ofSeconds(60);

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

    static SampleKey key(long number) {
        return SampleKey.of("test").with(number);
    }

    static ByteBuffer value(long number) {
        return ByteBuffer.allocate(100).putLong(0, number).putLong(50, ~number);
    }

    private static RedisOptions options(String name) {
        return RedisTier.at(server.uri()).name(name).timeout(TIMEOUT);
    }

    private static void put(RedisTier tier, long number) {
        assertThat(TierKit.put(tier, key(number), value(number)).block(TIMEOUT)).isTrue();
        tier.flush().block(TIMEOUT);
    }

    static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    /** How the server calls a sample of a name space. */
    private static String name(String space, long number) {
        return new String(new KeySpace(space).sample(key(number)), StandardCharsets.US_ASCII);
    }

    @Test
    void tier_secondOneOnTheServer_findsWhatTheFirstPut() {
        try (RedisTier first = options("a").open();
                RedisTier second = options("a").open()) {
            put(first, 1);

            StepVerifier.create(second.get(key(1)), 0)
                    .expectSubscription()
                    .thenRequest(1)
                    .expectNext(value(1))
                    .expectComplete()
                    .verify(TIMEOUT);

            await(() -> second.statistics().samples() == 1);
            assertThat(second.statistics().capacity()).isPositive();
        }
    }

    @Test
    void tier_ofAnotherName_doesNotMeet() {
        try (RedisTier first = options("a").open();
                RedisTier longer = options("a:").open();
                RedisTier pattern = options("*").open()) {
            put(first, 1);
            put(longer, 2);
            put(pattern, 3);

            assertThat(longer.get(key(1)).block(TIMEOUT)).isNull();
            assertThat(pattern.get(key(1)).block(TIMEOUT)).isNull();
            assertThat(first.keys().collectList().block(TIMEOUT)).containsExactly(key(1));
            assertThat(longer.keys().collectList().block(TIMEOUT)).containsExactly(key(2));
            assertThat(pattern.keys().collectList().block(TIMEOUT)).containsExactly(key(3));
        }
    }

    @Test
    void get_ofAValueThatWaits_isAHit() {
        try (RedisTier tier = options("a").open()) {
            TierKit.put(tier, key(1), value(1)).block(TIMEOUT);

            assertThat(tier.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
        }
    }

    @Test
    void statistics_whileValuesWait_countThem() {
        try (RedisTier tier = options("a").open()) {
            put(tier, 0);
            server.ask("CLIENT", "PAUSE", "400", "WRITE");

            IntStream.range(1, 10)
                    .forEach(i -> TierKit.put(tier, key(i), value(i)).block(TIMEOUT));

            assertThat(tier.statistics().samples()).isEqualTo(10);
            assertThat(tier.statistics().bytes()).isGreaterThan(10L * value(0).remaining());
            tier.flush().block(TIMEOUT);
            assertThat(tier.statistics().samples()).isEqualTo(10);
        }
    }

    @Test
    void contains_whatAnyTierPut_isThereAndCountsNothing() {
        try (RedisTier first = options("a").open();
                RedisTier second = options("a").open()) {
            TierKit.put(first, key(1), value(1)).block(TIMEOUT);
            assertThat(first.contains(key(1)).block(TIMEOUT)).isTrue();
            first.flush().block(TIMEOUT);

            StepVerifier.create(second.contains(key(1)), 0)
                    .expectSubscription()
                    .thenRequest(1)
                    .expectNext(true)
                    .expectComplete()
                    .verify(TIMEOUT);

            assertThat(second.contains(key(2)).block(TIMEOUT)).isFalse();
            assertThat(second.statistics().hits() + second.statistics().misses())
                    .isZero();
        }
    }

    @Test
    void contains_whereNoServerAnswers_failsSinceNoWouldBeAGuess() {
        try (RedisTier tier =
                RedisTier.at("redis://127.0.0.1:1?timeout=1s").name("a").open()) {
            StepVerifier.create(tier.contains(key(1)))
                    .expectErrorSatisfies(e ->
                            assertThat(e).isInstanceOf(StoreException.class).hasMessageContaining("127.0.0.1:1"))
                    .verify(TIMEOUT);
        }
    }

    @Test
    void remove_ofAKey_forgetsItForAll() {
        try (RedisTier first = options("a").open();
                RedisTier second = options("a").open()) {
            put(first, 1);
            put(first, 2);

            second.remove(key(1));

            await(() -> first.get(key(1)).block(TIMEOUT) == null);
            assertThat(first.get(key(2)).block(TIMEOUT)).isEqualTo(value(2));
            await(() -> first.statistics().samples() == 1);
        }
    }

    @Test
    void put_ofMoreThanTheLargestValue_isRefused() {
        try (RedisTier tier = options("a").maxValueBytes(99).open()) {
            assertThat(TierKit.put(tier, key(1), value(1)).block(TIMEOUT)).isFalse();
            assertThat(TierKit.put(tier, key(1), value(1).limit(99)).block(TIMEOUT))
                    .isTrue();

            assertThat(tier.statistics().refused()).isEqualTo(1);
        }
    }

    @Test
    void put_whileMoreWaitsThanMay_completesWhenTheServerHasIt() {
        try (RedisTier tier = options("a").pendingBytes(0).open()) {
            assertThat(TierKit.put(tier, key(1), value(1)).block(TIMEOUT)).isTrue();

            assertThat(server.ask("EXISTS", name("a", 1))).isEqualTo("1");
        }
    }

    /** The text of a value copied to another key is whole: only the key in it tells. */
    @Test
    void get_ofAnotherKeysValue_isAMiss() {
        try (RedisTier tier = options("a").open()) {
            put(tier, 1);
            server.ask(
                    "EVAL",
                    "return redis.call('set',KEYS[2],redis.call('get',KEYS[1]))",
                    "2",
                    name("a", 1),
                    name("a", 2));

            assertThat(tier.get(key(2)).block(TIMEOUT)).isNull();
            assertThat(tier.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
        }
    }

    @Test
    void lease_whileAnotherHasIt_isGivenOnceItIsReleased() {
        try (RedisTier first = options("a").open();
                RedisTier second = options("a").open()) {
            Lease own = first.lease(key(1)).block(TIMEOUT);
            CompletableFuture<Lease> waiting = second.lease(key(1)).toFuture();
            Lease other = second.lease(key(2)).block(TIMEOUT);
            assertThat(waiting).isNotDone();

            own.release();

            waiting.orTimeout(300, java.util.concurrent.TimeUnit.SECONDS).join().release();
            other.release();
            await(() -> server.ask("DBSIZE").equals("0"));
        }
    }

    @Test
    void lease_ofAKeyThatIsPutMeanwhile_letsAllWaitersLook() {
        try (RedisTier first = options("a").open();
                RedisTier second = options("a").open()) {
            Lease own = first.lease(key(1)).block(TIMEOUT);
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                waiting.add(second.lease(key(1)).toFuture());
            }

            TierKit.put(first, key(1), value(1)).block(TIMEOUT);
            own.release();

            for (CompletableFuture<Lease> one : waiting) {
                one.orTimeout(300, java.util.concurrent.TimeUnit.SECONDS).join(); // none waits for another's release
                assertThat(second.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
            }
        }
    }

    @Test
    void lease_ofATierThatIsClosed_isFreeAtOnce() {
        RedisTier gone = options("a").leaseTime(Duration.ofHours(1)).open();
        try (RedisTier tier = options("a").open()) {
            gone.lease(key(1)).block(TIMEOUT);
            gone.lease(key(2)).block(TIMEOUT);
            TierKit.put(gone, key(2), value(2)).block(TIMEOUT);

            gone.close();

            tier.lease(key(1)).block(TIMEOUT).release();
            assertThat(tier.get(key(2)).block(TIMEOUT)).isEqualTo(value(2));
            tier.remove(key(2));
            tier.lease(key(2)).block(TIMEOUT).release();
        }
    }

    @Test
    void close_whilePutsWait_sendsThemFirst() {
        int values = 1_000;
        try (RedisTier tier = options("a").open()) {
            for (int i = 0; i < values; i++) {
                TierKit.put(tier, key(i), value(i)).block(TIMEOUT);
            }
        }

        try (RedisTier tier = options("a").open()) {
            for (int i = 0; i < values; i++) {
                assertThat(tier.get(key(i)).block(TIMEOUT)).as("value %d", i).isEqualTo(value(i));
            }
        }
    }

    @Test
    void lease_ofOneThatLoadsLong_staysItsOwn() {
        try (RedisTier slow = options("a").leaseTime(Duration.ofMillis(400)).open();
                RedisTier tier = options("a").open()) {
            Lease own = slow.lease(key(1)).block(TIMEOUT);
            CompletableFuture<Lease> waiting = tier.lease(key(1)).toFuture();

            Mono.delay(Duration.ofMillis(1_500)).block(TIMEOUT);

            assertThat(waiting).isNotDone();
            own.release();
            waiting.orTimeout(300, java.util.concurrent.TimeUnit.SECONDS).join().release();
        }
    }

    /** After a pause longer than the lease: it is another's by then, and stays that one's. */
    @Test
    void release_ofALeaseThatIsAnothersNow_leavesIt() {
        try (RedisTier tier = options("a").open()) {
            Lease own = tier.lease(key(1)).block(TIMEOUT);
            String lease = new String(new KeySpace("a").lease(key(1)), StandardCharsets.US_ASCII);
            server.ask("SET", lease, "another's");

            own.release();
            tier.lease(key(2)).block(TIMEOUT).release(); // sent behind it
            put(tier, 3);

            assertThat(server.ask("GET", lease)).isEqualTo("another's");
        }
    }

    @Test
    void lease_wishThatIsGivenUp_holdsNothing() {
        try (RedisTier tier = options("a").open()) {
            for (int i = 0; i < 200; i++) {
                StepVerifier.create(tier.lease(key(i))).thenCancel().verify(TIMEOUT);
            }

            await(() -> server.ask("DBSIZE").equals("0"));
        }
    }

    @Test
    void servers_several_shareTheKeys() {
        try (TestServer other = TestServer.start(directory);
                RedisTier tier = RedisTier.at(server.uri() + ",127.0.0.1:" + other.port() + "?timeout=60s")
                        .open();
                RedisTier own = RedisTier.at(server.uri() + ",127.0.0.1:" + other.port() + "?node=3&timeout=60s")
                        .open()) {
            for (int i = 0; i < 400; i++) {
                TierKit.put(tier, key(i), value(i)).block(TIMEOUT);
            }
            tier.flush().block(TIMEOUT);

            int there = 0;
            for (int i = 0; i < 400; i++) {
                assertThat(tier.get(key(i)).block(TIMEOUT)).isEqualTo(value(i));
                there += own.get(key(i)).block(TIMEOUT) == null ? 0 : 1;
            }
            assertThat(there).isBetween(120, 280);
            assertThat(tier.keys().count().block(TIMEOUT)).isEqualTo(400);
            assertThat(tier.statistics().samples()).isEqualTo(400);
        }
    }

    @Test
    void open_ofWhatIsNoPlace_saysWhatIsWantedWithoutWhatCame() {
        for (String text : List.of(
                "redis://u:hunter2@",
                "redis://u:hunter2@h:0",
                "redis://u:hunter2@h:99999",
                "redis://u:hunter2@h/x",
                "http://u:hunter2@h",
                "redis://u:hunter2@h?hunter2",
                "redis://u:hunter2@h?x=hunter2",
                "redis://u:hunter2%zz@h",
                "redis-sentinel://u:hunter2@h",
                "redis-cluster://u:hunter2@h/3",
                "spawn:x",
                "redis://u:hunter2@h?timeout=hunter2",
                "redis://u:hunter2@a b",
                "",
                "redis://u:hunter2@h,")) {
            assertThatThrownBy(() -> RedisTier.at(text).credentials("", "").open())
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining("hunter2");
        }
    }
}
