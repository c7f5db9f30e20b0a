package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.await;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.TierKit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Lettuce and Netty log themselves of a server that is gone: as docs/troubleshooting.md says. */
class LibraryLogTest {

    private static final Duration SHORT = Duration.ofMillis(50); // less than the pause before a second attempt

    @TempDir
    Path directory;

    private final Logger lettuce = Logger.getLogger("io.lettuce");
    private final Logger netty = Logger.getLogger("io.netty");
    private final List<LogRecord> lines = new CopyOnWriteArrayList<>();
    private final Handler listener = new Handler() {
        @Override
        public void publish(LogRecord line) {
            lines.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        lettuce.addHandler(listener);
        netty.addHandler(listener);
    }

    @AfterEach
    void stopListening() {
        lettuce.removeHandler(listener);
        netty.removeHandler(listener);
        lettuce.setLevel(null);
    }

    private List<LogRecord> from(Level level) {
        return lines.stream()
                .filter(line -> line.getLevel().intValue() >= level.intValue())
                .toList();
    }

    /** An attempt has failed for good once its time is over, which a later one shows. */
    @Test
    void serverThatWasNeverThere_isNoErrorOfALibrary() {
        lettuce.setLevel(Level.FINE);
        int port = TestServer.freePort();

        try (RedisTier tier =
                RedisTier.at("redis://127.0.0.1:" + port).timeout(SHORT).open()) {
            assertThat(tier.get(key(1)).block(TIMEOUT)).isNull();
            await(() -> lines.stream()
                            .filter(line -> line.getMessage().startsWith("Connecting to Redis"))
                            .count()
                    >= 3);
        }

        assertThat(from(Level.INFO)).isEmpty();
    }

    @Test
    void serverThatIsKilled_isLoggedByTwoLoggersBelowError() {
        try (TestServer server = TestServer.start(directory);
                RedisTier tier = RedisTier.at(server.uri()).timeout(TIMEOUT).open()) {
            TierKit.put(tier, key(1), value(1)).block(TIMEOUT);

            server.kill();

            await(() -> !from(Level.WARNING).isEmpty());
            server.start();
            await(() -> lines.stream().anyMatch(line -> line.getMessage().startsWith("Reconnected")));
        }

        assertThat(from(Level.INFO)).allSatisfy(line -> {
            assertThat(line.getLoggerName())
                    .isIn(
                            "io.lettuce.core.protocol.ConnectionWatchdog",
                            "io.lettuce.core.protocol.ReconnectionHandler");
            assertThat(line.getLevel()).isIn(Level.INFO, Level.WARNING);
            assertThat(line.getThrown()).isNull();
        });
    }
}
