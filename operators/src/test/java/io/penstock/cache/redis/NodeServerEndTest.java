package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.await;
import static io.penstock.cache.redis.RedisTierTest.key;
import static io.penstock.cache.redis.RedisTierTest.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cache.redis.internal.Programs;
import io.penstock.cache.redis.internal.Registration;
import io.penstock.testkit.TierKit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One server for real processes that start together, and none once they are gone, whatever they died of. */
class NodeServerEndTest {

    @TempDir
    static Path programs;

    @TempDir
    Path directory;

    private final List<Process> users = new ArrayList<>();

    @AfterEach
    void end() throws IOException {
        users.forEach(Process::destroyForcibly);
        for (Registration left : Registration.all(directory)) {
            left.end(directory); // of a test that failed
        }
    }

    private String uri() {
        return "spawn:64MiB?timeout=60s&dir=" + directory + "&server=" + RedisBinary.in(programs);
    }

    /** Processes that start at the same time, once each of them uses the server. */
    private List<Process> begin(int number) throws IOException {
        List<Process> together = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            together.add(Rank.start("use", 0, 1, 100, 1, uri()));
        }
        users.addAll(together);
        for (Process user : together) {
            assertThat(user.inputReader().readLine()).isEqualTo("using");
        }
        return together;
    }

    private List<ProcessHandle> servers() {
        String program = RedisBinary.in(programs).toString();
        return ProcessHandle.allProcesses()
                .filter(process ->
                        process.info().command().filter(program::equals).isPresent())
                .toList();
    }

    private Registration registered() throws IOException {
        return Registration.all(directory).get(0);
    }

    private static void signal(String signal, long process) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + signal, "" + process)
                        .start()
                        .waitFor())
                .isZero();
    }

    @Tag("endurance")
    @Test
    void processes_startedTogether_shareOneServerThatEndsWithThem() throws Exception {
        for (String signal : List.of("TERM", "KILL")) {
            List<Process> together = begin(3);
            Registration server = registered();
            assertThat(servers())
                    .extracting(ProcessHandle::pid)
                    .containsExactly(server.process().number());

            for (Process user : together) {
                assertThat(server.process().isAlive()).isTrue();
                signal(signal, user.pid());
                user.waitFor();
            }

            await(() -> servers().isEmpty() && !server.watcher().isAlive());
        }
    }

    @Test
    void users_allKilledAtOnce_leaveNothing() throws Exception {
        List<Process> together = begin(2);
        Registration server = registered();

        together.forEach(Process::destroyForcibly);

        await(() -> servers().isEmpty() && !server.watcher().isAlive());
        assertThat(Registration.all(directory)).isEmpty();
    }

    @Test
    void watcher_thatATerminalSignals_goesOn() throws Exception {
        try (RedisTier tier = RedisTier.at(uri()).open()) {
            Registration server = registered();

            for (String signal : List.of("HUP", "INT", "QUIT", "TERM")) {
                signal(signal, server.watcher().number());
            }

            TierKit.put(tier, key(1), value(1)).block(TIMEOUT);
            tier.flush().block(TIMEOUT);
            try (RedisTier second = RedisTier.at(uri()).open()) {
                assertThat(second.get(key(1)).block(TIMEOUT)).isEqualTo(value(1));
            }
            assertThat(registered()).isEqualTo(server);
        }
        await(() -> servers().isEmpty());
    }

    @Test
    void watcher_thatIsKilled_takesItsServerAlongAndTheNextProcessStartsAnother() throws Exception {
        assumeTrue(Programs.find("setpriv").isPresent(), "without setpriv a server outlives its watcher");
        try (RedisTier orphaned = RedisTier.at(uri()).open()) {
            Registration server = registered();

            signal("KILL", server.watcher().number());

            await(() -> servers().isEmpty());
            try (RedisTier next = RedisTier.at(uri()).open()) {
                await(() ->
                        Boolean.TRUE.equals(TierKit.put(next, key(1), value(1)).block(TIMEOUT)));
                assertThat(registered().id()).isNotEqualTo(server.id());
            }
            await(() -> servers().isEmpty());
            assertThat(orphaned.get(key(1)).block(TIMEOUT)).isNull();
        }
    }
}
