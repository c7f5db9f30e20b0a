package io.penstock.cache.redis;

import static io.penstock.cache.redis.NodeRank.WORLD;
import static io.penstock.cache.redis.RedisTierTest.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.redis.NodeRank.Run;
import io.penstock.cache.redis.internal.PlainClient;
import io.penstock.cache.redis.internal.Programs;
import io.penstock.cache.redis.internal.Registration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Four nodes, each at a loopback address of its own, whose servers are one cache: real processes, some killed. More
 * rounds: {@code -Dpenstock.kills=30}; the kills of a seed again: {@code -Dpenstock.kills.seed=N}.
 */
@Timeout(1800)
@Tag("endurance")
class NodesTest {

    /** One with each place to meet; more are longer, too. */
    private static final int ROUNDS = Integer.getInteger("penstock.kills", 2);

    private static final boolean LONG = ROUNDS > 2;
    private static final long SEED = Long.getLong("penstock.kills.seed", System.nanoTime());
    private static final int EPOCHS = LONG ? 8 : 4;
    private static final int GATED_EPOCHS = 8;
    private static final int KILLS = LONG ? 4 : 2;

    /** The key, its entry, and what the allocator rounds up. */
    private static final int OF_A_VALUE = 950;

    /** Empty, and with what its connections send and receive. */
    private static final long OF_A_SERVER = 3L << 20;

    @TempDir
    Path directory;

    private final Process[] ranks = new Process[WORLD];
    private String meet = "";

    @BeforeEach
    void choosePort() throws IOException {
        meet = "127.0.0.1:" + TestServer.freePort();
        Files.writeString(directory.resolve("password"), "of the job\n");
        RedisBinary.in(directory); // before threads ask for it
    }

    @AfterEach
    void end() throws IOException, InterruptedException {
        for (Process rank : ranks) {
            if (rank != null) {
                rank.destroyForcibly().waitFor();
            }
        }
        for (int node = 0; node < WORLD; node++) {
            for (Registration left : Registration.all(home(node))) {
                left.end(home(node)); // of a test that failed
            }
        }
    }

    /**
     * Memory for a quarter of the data. The keys of the fullest of four servers are more than a quarter by four standard
     * deviations at most, but for one run in 10,000. Redis needs room for each value and for itself besides.
     */
    private static long bytes(Run run) {
        double keys = (double) run.samples / WORLD;
        double spread = 4 * Math.sqrt(keys * (WORLD - 1) / WORLD);
        return Math.round((keys + spread) * (run.bytes + OF_A_VALUE)) + OF_A_SERVER;
    }

    private Path home(int node) {
        return directory.resolve("node" + node);
    }

    private Process start(int node, int firstEpoch, int epochs, Run run) throws IOException {
        String uri = "spawn-all:%dKiB?name=nodes&timeout=60s&lease=60s&wait=%s&meet=%s&bind=127.0.0.%d&nodes=%d"
                + "&dir=%s&password-file=%s&server=%s";
        ranks[node] = NodeRank.start(
                node,
                firstEpoch,
                epochs,
                run,
                uri.formatted(
                        bytes(run) >> 10,
                        run == Run.GATED ? "60s" : "3s",
                        meet,
                        node + 1,
                        WORLD,
                        home(node),
                        directory.resolve("password"),
                        RedisBinary.in(directory)));
        return ranks[node];
    }

    private static void pass(Process... gated) throws IOException {
        for (Process rank : gated) {
            rank.getOutputStream().write('\n');
            rank.getOutputStream().flush();
        }
    }

    private static void awaitHalf(Process... gated) throws IOException {
        for (Process rank : gated) {
            assertThat(rank.inputReader().readLine()).isEqualTo("half");
        }
    }

    /** What these ranks got in an epoch, added up. */
    private record Said(long seen, long loads, long digest) {
        static Said by(int epoch, Process... ranks) throws IOException {
            Said sum = new Said(0, 0, 0);
            for (Process rank : ranks) {
                sum = sum.and(parse(epoch, rank.inputReader().readLine()));
            }
            return sum;
        }

        static Said parse(int epoch, String line) {
            long[] said =
                    Stream.of(line.split(" ", -1)).mapToLong(Long::parseLong).toArray();
            assertThat(said[0]).isEqualTo(epoch);
            return new Said(said[1], said[2], said[3]);
        }

        Said and(Said other) {
            return new Said(seen + other.seen, loads + other.loads, digest + other.digest);
        }

        Said isWhole(int epoch, Run run) {
            assertThat(seen).isEqualTo(run.samples);
            assertThat(digest).isEqualTo(run.digest(epoch));
            return this;
        }
    }

    private Said epoch(int epoch) throws IOException {
        pass(ranks);
        awaitHalf(ranks);
        pass(ranks);
        return Said.by(epoch, ranks).isWhole(epoch, Run.GATED);
    }

    private long samplesAt(int node) throws IOException {
        Registration server = Registration.all(home(node)).get(0);
        try (PlainClient client = PlainClient.connect(server.port(), server.password())) {
            String keys = client.ask("KEYS", "penstock:nodes:*");
            return keys.isEmpty() ? 0 : keys.split("\n", -1).length;
        }
    }

    private List<ProcessHandle> servers() {
        String program = RedisBinary.in(directory).toString();
        return ProcessHandle.allProcesses()
                .filter(process ->
                        process.info().command().filter(program::equals).isPresent())
                .toList();
    }

    /** Node 0 is the one at which they meet. */
    @Test
    void nodes_oneLostAndBack_loadEachSampleOnceAndThenTheLostShare() throws Exception {
        for (int node = 0; node < WORLD; node++) {
            start(node, 0, GATED_EPOCHS, Run.GATED);
        }
        int samples = Run.GATED.samples;
        assertThat(bytes(Run.GATED)).isLessThan((long) samples * Run.GATED.bytes / (WORLD - 1));
        assertThat(epoch(0).loads).isEqualTo(samples);
        assertThat(epoch(1).loads).isZero();
        List<Long> shares = new ArrayList<>();
        for (int node = 0; node < WORLD; node++) {
            shares.add(samplesAt(node));
        }
        assertThat(shares).allSatisfy(share -> assertThat(share).isBetween(samples / 5L, samples * 3L / 10));
        assertThat(shares.stream().mapToLong(share -> share).sum()).isEqualTo(samples);

        loseAndStartAgain(0, 2, shares.get(0));
        loseAndStartAgain(WORLD - 1, 5, shares.get(WORLD - 1));

        for (Process rank : ranks) {
            assertThat(rank.waitFor()).isZero();
        }
        await(() -> servers().isEmpty());
        assertThat(IntStream.range(0, WORLD).mapToObj(this::home))
                .allSatisfy(home -> assertThat(Registration.all(home)).isEmpty());
    }

    /** Loses a node in the middle of an epoch, and starts it again in that epoch; the epoch after it makes good the loss. */
    private void loseAndStartAgain(int lost, int epoch, long share) throws Exception {
        pass(ranks);
        awaitHalf(ranks);
        Process[] others = IntStream.range(0, WORLD)
                .filter(node -> node != lost)
                .mapToObj(node -> ranks[node])
                .toArray(Process[]::new);
        ranks[lost].destroyForcibly().waitFor();
        await(() -> servers().size() == others.length);
        pass(others);
        Said without = Said.by(epoch, others);
        assertThat(without.loads).isBetween(1L, share);

        Process back = start(lost, epoch, GATED_EPOCHS, Run.GATED);
        pass(back);
        awaitHalf(back);
        pass(back);
        Said ofTheLost = Said.by(epoch, back);
        without.and(ofTheLost).isWhole(epoch, Run.GATED);
        assertThat(epoch(epoch + 1).loads + ofTheLost.loads).isEqualTo(share);
        assertThat(epoch(epoch + 2).loads).isZero();
    }

    @Test
    void nodes_killedAtRandom_deliverEverythingRightAndLeaveNoServer() {
        SplittableRandom random = new SplittableRandom(SEED);
        List<String> places = List.of(meet, directory.resolve("meet").toString());
        for (int round = 0; round < ROUNDS; round++) {
            meet = places.get(round % 2);
            try {
                runAndKill(random);
            } catch (Throwable e) {
                throw new AssertionError(
                        "round %d of -Dpenstock.kills=%d -Dpenstock.kills.seed=%d".formatted(round, ROUNDS, SEED), e);
            }
        }
    }

    private void runAndKill(SplittableRandom random) throws Exception {
        List<Future<Said[]>> runs = new ArrayList<>();
        ExecutorService nodes = Executors.newFixedThreadPool(WORLD);
        try {
            for (int node = 0; node < WORLD; node++) {
                int mine = node;
                runs.add(nodes.submit(() -> runToTheEnd(mine)));
            }
            for (int kills = 0; kills < KILLS && !runs.stream().allMatch(Future::isDone); ) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(100, 1_000)));
                kills += kill(random.nextInt(WORLD), random.nextInt(3)) ? 1 : 0;
            }
            for (int epoch = 0; epoch < EPOCHS; epoch++) {
                Said sum = new Said(0, 0, 0);
                for (Future<Said[]> run : runs) {
                    sum = sum.and(run.get()[epoch]);
                }
                sum.isWhole(epoch, Run.FREE);
            }
        } finally {
            nodes.shutdownNow();
        }
        await(() -> servers().isEmpty());
    }

    /** Starts a rank again where it was killed, until it has said what it got in each epoch. */
    private Said[] runToTheEnd(int node) throws IOException {
        Said[] said = new Said[EPOCHS];
        int epoch = 0;
        while (epoch < EPOCHS) {
            Process rank = start(node, epoch, EPOCHS, Run.FREE);
            for (String line = rank.inputReader().readLine(); line != null && epoch < EPOCHS; ) {
                said[epoch] = Said.parse(epoch, line);
                epoch++;
                line = epoch < EPOCHS ? rank.inputReader().readLine() : null;
            }
        }
        return said;
    }

    /** Kills a rank, or a node's server, or the shell that watches it; false if there is none now. */
    private boolean kill(int node, int which) throws IOException, InterruptedException {
        List<Registration> registered = Registration.all(home(node));
        if (which == 0 || registered.isEmpty()) {
            return ranks[node] != null && ranks[node].isAlive() && ranks[node].destroyForcibly() != null;
        }
        Registration server = registered.get(0);
        boolean itself = which == 1 || Programs.find("setpriv").isEmpty(); // or a server outlives its watcher
        return ProcessHandle.of((itself ? server.process() : server.watcher()).number())
                .filter(ProcessHandle::destroyForcibly)
                .isPresent();
    }
}
