package io.penstock.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cli.serve.ServedPlan;
import io.penstock.cli.stream.Run;
import io.penstock.cli.stream.StreamFlags;
import io.penstock.serve.BatchServer;
import io.penstock.serve.ServerPlan;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real python3 takes the batches of one plan from several servers. */
class SeveralServersTest {

    private static final int SAMPLES = 1003;
    private static final int BYTES = 64;
    private static final Path MODULE =
            Path.of(System.getProperty("penstock.root", "..")).resolve("samples/python");

    @TempDir
    private static Path folder;

    private final List<Run<?>> plans = new ArrayList<>();
    private final List<BatchServer> servers = new ArrayList<>();

    @BeforeAll
    static void makeRecords() throws Exception {
        Process python = new ProcessBuilder("sh", "-c", "python3 -c 'import numpy'")
                .redirectErrorStream(true)
                .start();
        assumeTrue(
                python.waitFor(300, TimeUnit.SECONDS) && python.exitValue() == 0,
                "this test needs python3 with numpy on the path");
        byte[] records = new byte[SAMPLES * BYTES];
        new Random(1).nextBytes(records);
        Files.write(folder.resolve("r.bin"), records);
    }

    private static String flags() {
        return "--source records:%s,%d --batch 8 --epochs 2 --cache-ram 1MiB".formatted(folder.resolve("r.bin"), BYTES);
    }

    private BatchServer start(String flags, int port) {
        Run<?> plan = StreamFlags.parse(flags.split(" ")).open();
        plans.add(plan);
        BatchServer server = ServerPlan.of(new ServedPlan<>(plan, 1)).port(port).start();
        servers.add(server);
        return server;
    }

    @AfterEach
    void closeAll() {
        servers.forEach(BatchServer::close);
        plans.forEach(Run::close);
    }

    private Process take(String addresses, String resume) throws IOException {
        return new ProcessBuilder(
                        "python3",
                        MODULE.resolve("src/test/python/take_all.py").toString(),
                        MODULE.toString(),
                        addresses,
                        resume)
                .redirectErrorStream(true)
                .start();
    }

    private static List<String> said(Process python) throws IOException, InterruptedException {
        String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(python.waitFor()).as(said).isZero();
        return said.lines().toList();
    }

    private String addresses() {
        return servers.stream().map(server -> server.address().toString()).collect(Collectors.joining(","));
    }

    /** Each line is an epoch, the number of a batch, its token, and a digest of its bytes. */
    private List<String> wanted() throws Exception {
        BatchServer one = start(flags(), 0);
        List<String> lines = said(take(one.address().toString(), ""));
        one.close();
        servers.remove(one);
        assertThat(lines).hasSize(2 * 126);
        return lines;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void batches_ofSeveralServers_areThoseOfOne(int number) throws Exception {
        List<String> wanted = wanted();
        for (int i = 0; i < number; i++) {
            start(flags(), 0);
        }

        assertThat(said(take(addresses(), ""))).isEqualTo(wanted);
        String token = wanted.get(40).split(" ", 4)[3];
        assertThat(said(take(addresses(), token))).isEqualTo(wanted.subList(41, wanted.size()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20, 126, 251})
    void server_thatIsLostAndComesBack_changesNoBatch(int batch) throws Exception {
        List<String> wanted = wanted();
        for (int i = 0; i < 3; i++) {
            start(flags(), 0);
        }
        Process python = take(addresses(), "");
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = python.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                if (lines.size() == batch) {
                    servers.get(batch % 3).close();
                } else if (lines.size() == batch + 60) {
                    start(flags(), servers.get(batch % 3).address().getPort());
                }
            }
        }

        assertThat(lines).isEqualTo(wanted);
        assertThat(python.waitFor()).isZero();
    }

    @Test
    void server_ofAnotherPlan_isNamedWithWhatDiffers() throws Exception {
        start(flags(), 0);
        start(flags() + " --seed 7", 0);
        Process python = take(addresses(), "");

        String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(python.waitFor()).isOne();
        assertThat(said.lines().reduce("", (before, line) -> line))
                .contains("has another plan than http://127.0.0.1:")
                .containsPattern("seed (7 there, 42 here|42 there, 7 here)");
    }
}
