package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import io.penstock.cli.TestRedis;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.embedded.core.ExecutableProvider;

/** {@code stream --cache-redis}, with a real server that the runs start themselves. */
class RedisCacheTest {

    private static final int IMAGES = 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private String flags = "";

    @BeforeEach
    void makePictures() throws IOException {
        PictureFolder.write(folder.resolve("train"), IMAGES).blockLast();
        Path server = ExecutableProvider.newJarResourceProvider(
                        Files.createDirectory(folder.resolve("program")).toFile())
                .get()
                .toPath();
        Files.setPosixFilePermissions(server, PosixFilePermissions.fromString("rwxr-xr-x"));
        flags = "--source images:" + folder.resolve("train")
                + " --resize 32 --in-flight 4 --digest --cache-redis spawn:64MiB?timeout=60s&server=" + server + "&dir="
                + folder.resolve("node");
    }

    @Test
    void run_withAServerOfItsOwn_loadsEachSampleOnce() {
        Cli alone = Cli.stream(flags.substring(0, flags.indexOf(" --cache-redis")));
        Cli run = Cli.stream(flags + " --epochs 3");

        assertThat(run.err()).isEmpty();
        assertThat(run.epoch(0).path("loads").asInt()).isEqualTo(IMAGES);
        for (int epoch = 1; epoch < 3; epoch++) {
            assertThat(run.epoch(epoch).path("loads").asInt()).isZero();
            assertThat(run.epoch(epoch).path("hits").path("redis").asInt()).isEqualTo(IMAGES);
            assertThat(run.content(epoch)).isEqualTo(alone.content(0));
        }
        while (hasServer()) { // it ends just behind its last process
            LockSupport.parkNanos(20_000_000);
        }
    }

    @Tag("endurance") // two nodes of srun do the same
    @Test
    void runs_ofTwoNodes_shareTheServersOfBoth() throws Exception {
        String uncached = flags.substring(0, flags.indexOf(" --cache-redis"));
        Cli alone = Cli.stream(uncached);
        Path password = Files.writeString(folder.resolve("password"), "of both");
        int port = TestRedis.freePort();
        List<Process> nodes = new ArrayList<>();
        for (int node = 0; node < 2; node++) {
            String all = flags.replace("spawn:64MiB?", "spawn-all:64MiB?").replace("/node", "/node" + node)
                    + "&meet=127.0.0.1:%d&bind=127.0.0.%d&nodes=2&password-file=%s".formatted(port, node + 1, password);
            nodes.add(CliProcess.java(("stream --json --epochs 3 --world 2 --rank " + node + " " + all).split(" ")));
        }

        Sum sum = Sum.of(nodes);

        assertThat(sum.content).containsOnly(alone.content(0));
        assertThat(sum.loads).isEqualTo(IMAGES); // a node that has finished keeps its share for the other
        assertThat(sum.warnings).doesNotContain("out of reach", "Exception");
        while (hasServer()) {
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** What ranks of three epochs got, added up. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Sum(long[] content, int loads, String warnings) {
        static Sum of(List<Process> ranks) throws Exception {
            long[] content = new long[3];
            int loads = 0;
            StringBuilder warnings = new StringBuilder();
            for (Process rank : ranks) {
                Cli said = new Cli(
                        0,
                        new String(rank.getInputStream().readAllBytes(), StandardCharsets.UTF_8),
                        new String(rank.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
                assertThat(rank.waitFor()).as(said.err()).isZero();
                warnings.append(said.err());
                for (int epoch = 0; epoch < 3; epoch++) {
                    content[epoch] += said.content(epoch);
                    loads += said.epoch(epoch).path("loads").asInt();
                }
            }
            return new Sum(content, loads, warnings.toString());
        }
    }

    /** As torchrun sets them for two ranks on each of two nodes, and srun for one; here all have the addresses of one machine. */
    private static Map<String, String> environment(String launcher, int port, int node, int rank) {
        if (launcher.equals("torchrun")) {
            return Map.of(
                    "RANK",
                    Integer.toString(rank),
                    "WORLD_SIZE",
                    "4",
                    "LOCAL_RANK",
                    Integer.toString(rank % 2),
                    "LOCAL_WORLD_SIZE",
                    "2",
                    "GROUP_RANK",
                    Integer.toString(node),
                    "GROUP_WORLD_SIZE",
                    "2",
                    "MASTER_ADDR",
                    "127.0.0.1",
                    "MASTER_PORT",
                    Integer.toString(port - 1));
        }
        return Map.of(
                "SLURM_PROCID",
                Integer.toString(rank),
                "SLURM_NTASKS",
                "2",
                "SLURM_LOCALID",
                "0",
                "SLURM_NODEID",
                Integer.toString(node),
                "SLURM_STEP_NUM_NODES",
                "2",
                "SLURM_STEP_TASKS_PER_NODE",
                "1(x2)",
                "SLURM_STEP_NODELIST",
                "127.0.0.[1-2]",
                "SLURM_JOB_ID",
                Integer.toString(port)); // 20000 and more than the port
    }

    @Tag("endurance")
    @Test
    void ranksOfTorchrun_meetWhereItsEnvironmentSays() throws Exception {
        ranksOfALauncher_meetWhereItsEnvironmentSays("torchrun", 2);
    }

    @ParameterizedTest
    @CsvSource("srun, 1")
    void ranksOfALauncher_meetWhereItsEnvironmentSays(String launcher, int onEachNode) throws Exception {
        Cli alone = Cli.stream(flags.substring(0, flags.indexOf(" --cache-redis")));
        int port = TestRedis.freePort();
        List<Process> ranks = new ArrayList<>();
        for (int rank = 0; rank < 2 * onEachNode; rank++) {
            int node = rank / onEachNode;
            String all = flags.replace("spawn:64MiB?", "spawn-all:64MiB?").replace("/node", "/node" + node)
                    + "&bind=127.0.0.%d".formatted(node + 1);
            ProcessBuilder builder = CliProcess.builder(("stream --json --epochs 3 " + all).split(" "));
            builder.environment().put("PENSTOCK_REDIS_PASSWORD", "of the job's nodes");
            builder.environment().putAll(environment(launcher, port, node, rank));
            ranks.add(builder.start());
        }

        Sum sum = Sum.of(ranks);

        assertThat(sum.content).containsOnly(alone.content(0));
        assertThat(sum.warnings).doesNotContain("have met"); // but one of two nodes
    }

    private boolean hasServer() {
        return ProcessHandle.allProcesses()
                .anyMatch(process -> process.info()
                        .command()
                        .filter(command -> command.startsWith(folder.toString()))
                        .isPresent());
    }

    @Test
    void run_underRamAndDisk_fillsAllThree() {
        Cli run = Cli.stream(flags + " --cache-ram 64MiB --cache-disk " + folder.resolve("disk") + ",64MiB --epochs 2");

        assertThat(run.epoch(0).path("loads").asInt()).isEqualTo(IMAGES);
        assertThat(run.epoch(1).path("hits").path("ram").asInt()).isEqualTo(IMAGES);
    }

    @Test
    void run_withoutTheServer_isThatWithoutACache() {
        Cli run = Cli.stream(
                flags.substring(0, flags.indexOf(" --cache-redis")) + " --cache-redis redis://127.0.0.1:1?timeout=1s");

        assertThat(run.epoch(0).path("loads").asInt()).isEqualTo(IMAGES);
        assertThat(run.epoch(0).path("samples").asInt()).isEqualTo(IMAGES);
    }

    /** The server accepts the connection and never answers. */
    @Tag("endurance")
    @Test
    void run_thatEndsBeforeTheServerIsConnected_warns() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String cache = "redis://127.0.0.1:" + silent.getLocalPort();
            String uncached = flags.substring(0, flags.indexOf(" --cache-redis"));
            Process run = CliProcess.java(
                    ("stream --json " + uncached + " --cache-redis " + cache + "?timeout=200ms").split(" "));

            String err = new String(run.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(run.waitFor()).isZero();
            assertThat(err).contains("the redis cache at " + cache + " is not connected after 2000 ms");
        }
    }
}
