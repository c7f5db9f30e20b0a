package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetector;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Nothing blocks the threads that ask, also while the server goes and comes back, and no buffer is forgotten. */
@Tag("blockhound")
class RedisTierBlockHoundTest {

    @TempDir
    Path directory;

    @BeforeAll
    static void install() {
        // A worker that is parked now runs the old code of its queue, which BlockHound does not exempt: its next park
        // throws, it dies within the queue's lock, and every later worker of the pool waits for that lock.
        Schedulers.shutdownNow();
        BlockHound.install();
    }

    @Test
    void tier_putsGetsAndLeases_blockNoWorker() {
        int samples = 2_000;
        ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        List<String> leaks = new ArrayList<>();
        java.util.logging.Logger log = java.util.logging.Logger.getLogger(ResourceLeakDetector.class.getName());
        java.util.logging.Filter listener = line -> {
            leaks.add(line.getMessage());
            return true;
        };
        log.setFilter(listener);
        try (TestServer server = TestServer.start(directory);
                RedisTier tier = RedisTier.at(server.uri() + "?timeout=20s")
                        .pendingBytes(1 << 14)
                        .open()) {
            Mono<Long> all = Flux.range(0, samples)
                    .flatMap(i -> Mono.defer(() -> load(tier, i / 2)).subscribeOn(Schedulers.parallel()), 16)
                    .count();

            assertThat(all.block(TIMEOUT)).isEqualTo(samples);
            assertThat(tier.keys().count().block(TIMEOUT)).isEqualTo(samples / 2);
            server.kill();
            assertThat(all.block(TIMEOUT)).isEqualTo(samples);
            System.gc();
        } finally {
            ResourceLeakDetector.setLevel(before);
            log.setFilter(null);
        }
        assertThat(leaks).isEmpty();
    }

    private static Mono<Boolean> load(RedisTier tier, int number) {
        return Mono.usingWhen(
                tier.lease(key(number)),
                lease -> tier.get(key(number))
                        .map(ByteBuffer::hasRemaining)
                        .switchIfEmpty(Mono.defer(() -> TierKit.put(tier, key(number), value(number)))),
                lease -> Mono.fromRunnable(lease::release));
    }
}
