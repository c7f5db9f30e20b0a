package io.penstock.cache.redis;

import static io.penstock.cache.redis.RedisTierTest.TIMEOUT;
import static io.penstock.cache.redis.RedisTierTest.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Entry;
import io.penstock.cache.redis.internal.Registration;
import io.penstock.order.Sampler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes as ranks over one real server, some of which are killed. */
class RanksTest {

    private static final int SAMPLES = 480; // a multiple of each world
    private static final int EPOCHS = 3;

    @TempDir
    Path directory;

    private final List<Process> ranks = new ArrayList<>();

    @AfterEach
    void end() throws IOException, InterruptedException {
        for (Process rank : ranks) {
            rank.destroyForcibly().waitFor();
        }
        Registration left = registered();
        if (left != null) {
            left.end(home());
        }
    }

    private Path home() {
        return directory.resolve("node");
    }

    /** With leases that outlast any pause of a busy machine. */
    private String spawned() {
        return spawned("60s");
    }

    private String spawned(String lease) {
        return "spawn:64MiB?name=ranks&timeout=60s&lease=" + lease + "&dir=" + home() + "&server="
                + RedisBinary.in(directory);
    }

    private Registration registered() {
        try {
            return Registration.all(home()).stream().findFirst().orElse(null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process start(String mode, int rank, int world, String uri) throws IOException {
        Process process = Rank.start(mode, rank, world, SAMPLES, EPOCHS, uri);
        ranks.add(process);
        return process;
    }

    /** What a rank says at its end: samples seen, samples loaded, samples wrong. */
    private static long[] said(Process rank) throws IOException {
        String line = rank.inputReader().readLine();
        return Stream.of(line.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    }

    private static void ended(Process rank) throws IOException, InterruptedException {
        assertThat(rank.waitFor()).isZero();
    }

    @Tag("endurance")
    @Test
    void sixRanks_overOneSpawnedServer_loadEachSampleOnce() throws Exception {
        long seen = 0;
        long loads = 0;
        try (RedisTier keeper =
                RedisTier.at(spawned()).open()) { // ranks that end before others begin take no server along
            for (int rank = 0; rank < 6; rank++) {
                start("run", rank, 6, spawned());
            }
            for (Process rank : ranks) {
                long[] said = said(rank);
                seen += said[0];
                loads += said[1];
                assertThat(said[2]).as("wrong samples").isZero();
            }
            assertThat(keeper.statistics().errors()).isZero();
        }

        assertThat(seen).isEqualTo(SAMPLES * EPOCHS);
        for (Process rank : ranks) {
            ended(rank);
        }
        await(() -> registered() == null);
        assertThat(loads).isEqualTo(SAMPLES);
    }

    @Test
    void rank_killedWhileItHoldsALease_blocksNobody() throws Exception {
        Process holder = start("hold", 0, 1, spawned("1s"));
        assertThat(holder.inputReader().readLine()).isEqualTo("holding");
        Process runner = start("run", 0, 1, spawned("1s"));

        holder.destroyForcibly().waitFor();

        assertThat(said(runner)).containsExactly(SAMPLES * EPOCHS, SAMPLES, 0);
        ended(runner);
        await(() -> registered() == null);
    }

    @Tag("endurance") // one rank and one server are killed in the others
    @Test
    void fourRanks_oneOfThemAndTheServerKilled_deliverEverythingElseRight() throws Exception {
        int world = 4;
        try (TestServer server = TestServer.start(directory)) {
            String uri = server.uri() + "?name=ranks&timeout=500ms&lease=1s";
            for (int rank = 0; rank < world; rank++) {
                start("gated", rank, world, uri);
            }
            awaitGate();
            ranks.get(3).destroyForcibly().waitFor();
            ranks.remove(3);
            passGate();
            awaitGate();
            server.kill();
            passGate();
            awaitGate();
            server.start();
            passGate();

            for (Process rank : ranks) {
                long[] said = said(rank);
                assertThat(said[0]).isEqualTo(SAMPLES * EPOCHS / world);
                assertThat(said[2]).as("wrong samples").isZero();
                ended(rank);
            }
        }
    }

    private void awaitGate() throws IOException {
        for (Process rank : ranks) {
            assertThat(rank.inputReader().readLine()).isEqualTo("waiting");
        }
    }

    private void passGate() throws IOException {
        for (Process rank : ranks) {
            rank.getOutputStream().write('\n');
            rank.getOutputStream().flush();
        }
    }

    @Test
    void run_whoseServerIsKilledAndBroughtBack_deliversEverythingRight() {
        try (TestServer server = TestServer.start(directory);
                RedisTier tier =
                        RedisTier.at(server.uri() + "?timeout=500ms&lease=1s").open()) {
            Rank.Numbers numbers = new Rank.Numbers(SAMPLES);
            List<Long> wrong = new ArrayList<>();
            int[] seen = {0};

            numbers.cached(tier).stream(Sampler.shuffled(7).epochs(6))
                    .doOnNext(sample -> {
                        seen[0]++;
                        if (seen[0] == SAMPLES / 2 || seen[0] == 2 * SAMPLES) {
                            server.kill();
                        }
                        if (seen[0] == SAMPLES || seen[0] == 3 * SAMPLES) {
                            server.start();
                        }
                        if (!sample.value().equals(numbers.value(sample.draw().index()))) {
                            wrong.add(sample.draw().index());
                        }
                    })
                    .blockLast(TIMEOUT);

            assertThat(wrong).isEmpty();
            assertThat(seen[0]).isEqualTo(6 * SAMPLES);
            await(() -> tier.accepts(numbers.cached(tier).id(0).key(), Entry.UNKNOWN));
        }
    }

    @Test
    void password_ofASpawnedServer_isInNoCommandLine() throws Exception {
        Process holder = start("hold", 0, 1, spawned());
        assertThat(holder.inputReader().readLine()).isEqualTo("holding");
        String password = registered().password().reveal();

        List<String> commands = new ArrayList<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : (Iterable<Path>) processes::iterator) {
                try {
                    commands.add(
                            Files.readString(process.resolve("cmdline"), java.nio.charset.StandardCharsets.ISO_8859_1));
                } catch (IOException e) {
                    // no process, or gone
                }
            }
        }

        assertThat(password).hasSizeGreaterThan(20);
        assertThat(commands).anyMatch(command -> command.contains("redis-server"));
        assertThat(commands).noneMatch(command -> command.contains(password));
    }
}
