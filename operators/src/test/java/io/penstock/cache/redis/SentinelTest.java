package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.await;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.TierKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A master, its replica, and the sentinel that tells which is which. */
class SentinelTest {

    @TempDir
    Path directory;

    @Test
    void tier_whoseMasterDies_goesOnAtTheReplica() throws IOException {
        try (TestServer master = TestServer.start(directory);
                TestServer replica = TestServer.start(directory, "--replicaof", "127.0.0.1", "" + master.port())) {
            Path conf = Files.writeString(
                    directory.resolve("sentinel.conf"),
                    ("sentinel monitor cache 127.0.0.1 %d 1\nsentinel down-after-milliseconds cache 500\nsentinel"
                                    + " failover-timeout cache 2000\n")
                            .formatted(master.port()));
            try (TestServer sentinel = TestServer.sentinel(directory, conf)) {
                await(() -> sentinel.ask("INFO", "sentinel").contains("slaves=1"));
                try (RedisTier tier = RedisTier.at("redis-sentinel://127.0.0.1:" + sentinel.port() + "?master=cache")
                        .timeout(Duration.ofSeconds(2))
                        .open()) {
                    TierKit.put(tier, key(1), value(1)).block(TIMEOUT);
                    tier.flush().block(TIMEOUT);
                    await(() -> !replica.ask("DBSIZE").equals("0"));

                    master.kill();

                    await(() -> value(1).equals(tier.get(key(1)).block(TIMEOUT)));
                    await(() -> {
                        TierKit.put(tier, key(2), value(2)).block(TIMEOUT);
                        tier.flush().block(TIMEOUT);
                        return value(2).equals(tier.get(key(2)).block(TIMEOUT));
                    });
                    assertThat(replica.ask("INFO", "replication")).contains("role:master");
                }
            }
        }
    }
}
