package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.await;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Entry;
import io.penstock.cache.Lease;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** A server that is not there, goes, stands still, is full or does not know us, and one that comes back. */
class OutageTest {

    private static final Duration SLOW = Duration.ofMillis(300);

    @TempDir
    Path directory;

    private static RedisTier open(TestServer server) {
        return RedisTier.at(server.uri()).timeout(SLOW).open();
    }

    private static boolean put(RedisTier tier, long number) {
        boolean taken = Boolean.TRUE.equals(
                TierKit.put(tier, key(number), value(number)).block(TIMEOUT));
        tier.flush().block(TIMEOUT);
        return taken;
    }

    @Test
    void tier_withoutAServer_missesAndTakesNothing() {
        int port = TestServer.freePort();
        try (RedisTier tier =
                RedisTier.at("redis://127.0.0.1:" + port).timeout(SLOW).open()) {
            assertThat(tier.get(key(1)).block(TIMEOUT)).isNull();
            assertThat(tier.accepts(key(1), Entry.UNKNOWN)).isFalse();
            assertThat(tier.lease(key(1))).isSameAs(Lease.NONE);
            assertThat(TierKit.put(tier, key(1), value(1)).block(TIMEOUT)).isFalse();
            assertThat(tier.statistics().misses()).isEqualTo(1);
            assertThat(tier.statistics().refused()).isEqualTo(1);
        }
    }

    @Test
    void tier_whoseServerComesLater_findsIt() {
        TestServer server = TestServer.start(directory);
        server.kill();
        try (server;
                RedisTier tier = open(server)) {
            assertThat(tier.accepts(key(1), Entry.UNKNOWN)).isFalse();

            server.start();

            await(() -> put(tier, 1));
            assertThat(tier.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
        }
    }

    /** It takes a new process long to connect, too, where its processors are busy. */
    @Test
    void open_whileTheServerGreetsLaterThanItMayAnswer_waitsForIt() {
        try (TestServer server = TestServer.start(directory)) {
            Duration answer = Duration.ofSeconds(1);
            server.signal("STOP");
            Disposable later =
                    Schedulers.single().schedule(() -> server.signal("CONT"), 3 * answer.toMillis(), MILLISECONDS);
            try (RedisTier tier = RedisTier.at(server.uri()).timeout(answer).open()) {
                assertThat(tier.accepts(key(1), Entry.UNKNOWN)).isTrue();
            } finally {
                later.dispose();
            }
        }
    }

    @Test
    void tier_whoseServerIsKilledAndStartedAgain_goesOnWithout() {
        try (TestServer server = TestServer.start(directory);
                RedisTier tier = open(server)) {
            await(() -> put(tier, 1));

            server.kill();

            Flux.range(0, 500)
                    .flatMap(i -> tier.get(key(i))
                            .map(found -> found.equals(value(i)))
                            .switchIfEmpty(TierKit.put(tier, key(i), value(i)).thenReturn(true)))
                    .doOnNext(right -> assertThat(right).isTrue())
                    .blockLast(TIMEOUT);
            await(() -> !tier.accepts(key(2), Entry.UNKNOWN));
            server.start();
            await(() -> put(tier, 2));
            assertThat(tier.get(key(2)).block(TIMEOUT)).isEqualTo(value(2));
        }
    }

    @Test
    void tier_whoseServerStandsStill_missesAtOnceAfterAWhile() {
        try (TestServer server = TestServer.start(directory);
                RedisTier tier = open(server)) {
            await(() -> put(tier, 1));
            server.signal("STOP");

            await(() -> {
                assertThat(tier.get(key(1)).block(TIMEOUT)).isNull();
                return !tier.accepts(key(1), Entry.UNKNOWN);
            });
            assertThat(tier.get(key(1))).isInstanceOf(java.util.concurrent.Callable.class); // asks nobody
            assertThat(put(tier, 2)).isFalse();

            server.signal("CONT");
            await(() -> value(1).equals(tier.get(key(1)).block(TIMEOUT)));
        }
    }

    /** What was asked before it stood still gets no other one's answer. */
    @Test
    void get_ofAServerThatAnswersLate_givesEachItsOwn() {
        try (TestServer server = TestServer.start(directory);
                RedisTier tier = open(server)) {
            for (int i = 0; i < 100; i++) {
                int number = i;
                await(() -> put(tier, number));
            }
            for (int round = 0; round < 3; round++) {
                server.signal("STOP");
                await(() -> {
                    tier.get(key(1)).block(TIMEOUT);
                    return !tier.accepts(key(1), Entry.UNKNOWN);
                });
                server.signal("CONT");
                for (int i = 0; i < 100; i++) {
                    ByteBuffer found = tier.get(key(i)).block(TIMEOUT);
                    assertThat(found).isIn(null, value(i));
                }
                await(() -> tier.get(key(1)).block(TIMEOUT) != null);
            }
        }
    }

    @Test
    void lease_whileTheServerGoes_letsItsWaiterLoad() {
        try (TestServer server = TestServer.start(directory);
                RedisTier tier = open(server)) {
            await(() -> put(tier, 0));
            tier.lease(key(1)).block(TIMEOUT);
            CompletableFuture<Lease> waiting = tier.lease(key(1)).toFuture();

            server.kill();

            waiting.orTimeout(300, TimeUnit.SECONDS).join().release();
        }
    }

    @Test
    void put_intoAFullServer_isRefusedUntilThereIsRoom() {
        try (TestServer server = TestServer.start(directory);
                RedisTier tier = open(server)) {
            await(() -> put(tier, 0));
            server.ask("CONFIG", "SET", "maxmemory", "1");

            put(tier, 1);

            assertThat(tier.accepts(key(2), Entry.UNKNOWN)).isFalse();
            assertThat(tier.lease(key(2))).isSameAs(Lease.NONE);
            assertThat(tier.statistics().refused()).isEqualTo(1);
            assertThat(tier.get(key(0)).block(TIMEOUT)).isEqualTo(value(0));
            server.ask("CONFIG", "SET", "maxmemory", "0");
            await(() -> tier.accepts(key(2), Entry.UNKNOWN));
            assertThat(put(tier, 2)).isTrue();
        }
    }

    @Test
    void tier_withTheWrongPassword_goesOnWithout() {
        try (TestServer server = TestServer.start(directory, "--requirepass", "right");
                RedisTier wrong = RedisTier.at(server.uri())
                        .credentials("", "hunter2")
                        .timeout(TIMEOUT)
                        .open();
                RedisTier none = RedisTier.at(server.uri()).timeout(TIMEOUT).open();
                RedisTier right = RedisTier.at(server.uri())
                        .credentials("default", "right")
                        .timeout(TIMEOUT)
                        .open()) {
            assertThat(put(wrong, 1)).isFalse();
            assertThat(none.get(key(1)).block(TIMEOUT)).isNull();
            assertThat(put(right, 1)).isTrue();
            assertThat(right.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
        }
    }

    @Test
    void close_whileTheServerStandsStill_returns() {
        try (TestServer server = TestServer.start(directory)) {
            RedisTier tier = open(server);
            await(() -> put(tier, 1));
            server.signal("STOP");
            TierKit.put(tier, key(2), value(2)).block(TIMEOUT);

            tier.close();

            assertThat(tier.get(key(1)).block(TIMEOUT)).isNull();
        }
    }
}
