package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.TierKit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who one is at a server is said to the server, and to nobody else. */
class CredentialsTest {

    private static final String SECRET = "hunter2-and-more";

    @TempDir
    Path directory;

    @Test
    void password_fromEachPlace_isTheOne() throws Exception {
        Path file = Files.writeString(directory.resolve("password"), SECRET + "\n");
        try (TestServer server = TestServer.start(directory, "--requirepass", SECRET)) {
            String at = "127.0.0.1:" + server.port();
            Map<String, String> environment = Map.of("PENSTOCK_REDIS_PASSWORD", SECRET);
            for (RedisOptions options : List.of(
                    RedisTier.at("redis://:" + SECRET + "@" + at),
                    RedisTier.at("redis://default:" + SECRET + "@" + at),
                    RedisTier.at("redis://" + at + "?password-file=" + file),
                    RedisTier.at("redis://" + at).credentials("", SECRET),
                    RedisTier.at("redis://default@" + at).credentialsFrom(environment),
                    RedisTier.at("redis://" + at).credentialsFrom(environment))) {
                try (RedisTier tier = options.timeout(TIMEOUT).open()) {
                    TierKit.put(tier, key(1), value(1)).block(TIMEOUT);
                    tier.flush().block(TIMEOUT);
                    assertThat(tier.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
                }
            }
        }
    }

    /**
     * Everything any library on the way logs for debugging, and all texts there are. One level below, which Lettuce looks at
     * when it is loaded, it logs each byte it sends.
     */
    @Test
    void password_rightOrWrong_isInNoLogAndNoText() {
        List<String> said = new ArrayList<>();
        Handler listener = listener(said);
        Logger root = Logger.getLogger("");
        root.addHandler(listener);
        root.setLevel(Level.FINE);
        try (TestServer server = TestServer.start(directory, "--requirepass", SECRET)) {
            for (String password : List.of(SECRET, SECRET + "-wrong")) {
                RedisOptions options = RedisTier.at("redis://ann:" + password + "@127.0.0.1:" + server.port())
                        .credentials("", password);
                said.add(options.toString());
                try (RedisTier tier = options.open()) {
                    TierKit.put(tier, key(1), value(1)).block(TIMEOUT);
                    tier.flush().block(TIMEOUT);
                    tier.get(key(1)).block(TIMEOUT);
                    said.add(tier.toString());
                    said.add(tier.name());
                    said.add(tier.statistics().toString());
                    server.kill();
                    tier.get(key(2)).block(TIMEOUT);
                    server.start();
                }
            }
        } finally {
            root.setLevel(Level.INFO);
            root.removeHandler(listener);
        }

        assertThat(said).hasSizeGreaterThan(100).anyMatch(line -> line.contains("127.0.0.1"));
        assertThat(said).noneMatch(line -> line.contains("hunter2"));
    }

    private static Handler listener(List<String> said) {
        return new Handler() {
            private final SimpleFormatter formatter = new SimpleFormatter();

            @Override
            public synchronized void publish(LogRecord line) {
                synchronized (said) {
                    said.add(formatter.format(line));
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
