package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.await;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Entry;
import io.penstock.cache.redis.internal.PlainClient;
import io.penstock.cache.redis.internal.Registration;
import io.penstock.cache.redis.internal.Secret;
import io.penstock.cache.redis.internal.ServerProcess;
import io.penstock.fault.StoreException;
import io.penstock.testkit.TierKit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One server a node, started by who comes first and ended by who goes last. */
class NodeServerTest {

    private static final long BYTES = 64L << 20;

    @TempDir
    static Path programs;

    @TempDir
    Path directory;

    @AfterEach
    void end() throws IOException {
        Registration left = registered();
        if (left != null) {
            left.end(home()); // of a test that failed
        }
    }

    private Path home() {
        return directory.resolve("node");
    }

    private RedisOptions options(long bytes) {
        return RedisTier.in(NodeServer.ofBytes(bytes)
                        .executable(RedisBinary.in(programs))
                        .directory(home()))
                .timeout(TIMEOUT);
    }

    private Registration registered() throws IOException {
        return Registration.all(home()).stream().findFirst().orElse(null);
    }

    private static boolean runs(Registration server) {
        return server.process().isAlive();
    }

    private List<String> files() {
        try (Stream<Path> files = Files.list(home())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void server_ofTheNode_isStartedOnceAndEndedByTheLast() throws IOException {
        RedisTier first = options(BYTES).open();
        Registration server = registered();
        RedisTier second = options(BYTES).open();

        TierKit.put(first, key(1), value(1)).block(TIMEOUT);
        first.flush().block(TIMEOUT);
        assertThat(second.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
        assertThat(registered()).isEqualTo(server);

        first.close();
        assertThat(runs(server)).isTrue();
        assertThat(second.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));

        second.close();
        await(() -> !runs(server));
        assertThat(files()).containsExactly("redis.log", "turn");
    }

    @Test
    void server_ofTheNode_hasThePasswordAndTheLimitsItShould() throws IOException {
        try (RedisTier tier = options(BYTES).open()) {
            Registration server = registered();
            try (PlainClient client = PlainClient.connect(server.port(), server.password())) {
                assertThat(client.ask("INFO", "memory")).contains("maxmemory:" + BYTES, "maxmemory_policy:noeviction");
                assertThat(client.ask("INFO", "persistence")).contains("aof_enabled:0");
            }
            assertThatThrownBy(() -> {
                        try (PlainClient client = PlainClient.connect(server.port(), Secret.NONE)) {
                            client.ask("PING");
                        }
                    })
                    .hasMessageContaining("NOAUTH");
            assertThat(server.password().reveal()).hasSize(48);
            String configuration = "redis-" + server.id() + ".conf";
            assertThat(Files.readAllLines(home().resolve(configuration))).contains("bind 127.0.0.1", "save \"\"");
            for (String file : List.of("server-" + server.id(), configuration, "users-" + server.id())) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home().resolve(file))))
                        .isEqualTo("rw-------");
            }
            assertThat(tier.statistics().capacity()).isPositive();
        }
    }

    @Test
    void server_thatWasKilled_isStartedAnew() throws IOException {
        try (RedisTier orphaned = options(BYTES).open()) {
            Registration dead = registered();
            ProcessHandle.of(dead.process().number()).orElseThrow().destroyForcibly();
            await(() -> !dead.answers());

            try (RedisTier next = options(BYTES).open()) {
                TierKit.put(next, key(1), value(1)).block(TIMEOUT);
                next.flush().block(TIMEOUT);

                assertThat(next.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
                assertThat(registered()).isNotEqualTo(dead);
                await(() -> orphaned.get(key(1)).block(TIMEOUT) == null && !orphaned.accepts(key(1), Entry.UNKNOWN));
            }
        }
        await(() -> files().equals(List.of("redis.log", "turn")));
    }

    /** A registration whose server is another process now, or none: that one is left alone. */
    @Test
    void registration_ofAProcessThatIsAnother_isForgottenAndThatOneLives() throws IOException {
        options(BYTES).open().close();
        Process innocent = new ProcessBuilder("sleep", "600").start();
        try {
            ServerProcess other = new ServerProcess(innocent.pid(), 12345);
            new Registration("gone", 1, other, other, BYTES, Secret.of("x")).write(home());

            try (RedisTier tier = options(BYTES).open()) {
                assertThat(tier.accepts(key(1), Entry.UNKNOWN)).isTrue();
            }

            assertThat(innocent.isAlive()).isTrue();
        } finally {
            innocent.destroyForcibly();
        }
    }

    @Test
    void server_openedByManyThreads_isOne() throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<RedisTier> tiers = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 6; i++) {
            threads.add(new Thread(() -> tiers.add(options(BYTES).open())));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        Registration server = registered();
        assertThat(tiers).hasSize(6);
        TierKit.put(tiers.get(0), key(1), value(1)).block(TIMEOUT);
        tiers.get(0).flush().block(TIMEOUT);
        for (RedisTier tier : tiers) {
            assertThat(tier.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
        }
        tiers.forEach(RedisTier::close);
        await(() -> !runs(server));
    }

    @Test
    void open_inADirectoryThatOthersMayUse_isRefused() throws IOException {
        Files.createDirectory(home());
        Files.setPosixFilePermissions(home(), PosixFilePermissions.fromString("rwxrwxr-x"));

        assertThatThrownBy(() -> options(BYTES).open())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("chmod 700");
    }

    @Test
    void open_ofAProgramThatIsNone_saysSo() {
        RedisOptions options = RedisTier.at("spawn:64MiB?server=/bin/false&dir=" + home());

        assertThatThrownBy(options::open).isInstanceOf(StoreException.class).hasMessageContaining("does not start");
        assertThatThrownBy(() -> RedisTier.at("spawn:64MiB?server=/no/such&dir=" + home())
                        .open())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("/no/such");
        assertThatThrownBy(() -> NodeServer.ofBytes(1000)).isInstanceOf(IllegalArgumentException.class);
    }
}
