package io.penstock.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cli.CliProcess;
import io.penstock.serve.client.RemoteBatches;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are processes, of which one after another is killed while consumers in Java and Python go on. */
class KilledServersTest {

    private static final int SAMPLES = 1003;
    private static final int BYTES = 64;
    private static final int BATCHES = 2 * 126;

    @TempDir
    private Path folder;

    private final List<Process> servers = new ArrayList<>();
    private final List<URI> addresses = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        byte[] records = new byte[SAMPLES * BYTES];
        new Random(1).nextBytes(records);
        Path file = Files.write(folder.resolve("r.bin"), records);
        for (int i = 0; i < 3; i++) {
            servers.add(CliProcess.builder("serve --port 0 --source records:%s,%d --batch 8 --epochs 2"
                            .formatted(file, BYTES)
                            .split(" "))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        }
        for (Process server : servers) {
            addresses.add(URI.create(server.inputReader(StandardCharsets.UTF_8).readLine()));
        }
    }

    @AfterEach
    void kill() throws InterruptedException {
        for (Process server : servers) {
            server.destroyForcibly().waitFor();
        }
    }

    /** A line a batch, with all its bytes; a server is killed when some have come. */
    private List<String> takenInJava(int batch, int server) {
        List<String> lines = new ArrayList<>();
        RemoteBatches.of(addresses).stream().toIterable(1).forEach(remote -> {
            byte[] bytes = new byte[remote.batch().size() * BYTES];
            remote.batch().tensor("bytes").data().get(bytes);
            lines.add(remote.batch().epoch() + " " + remote.resume() + " "
                    + HexFormat.of().formatHex(bytes));
            if (lines.size() == batch) {
                servers.get(server).destroyForcibly();
            }
        });
        return lines;
    }

    /** What take_all.py prints; a server is killed when some batches have come. */
    private List<String> takenInPython(int batch, int server) throws Exception {
        Path module = Path.of(System.getProperty("penstock.root", "..")).resolve("samples/python");
        Process python = new ProcessBuilder(
                        "python3",
                        module.resolve("src/test/python/take_all.py").toString(),
                        module.toString(),
                        addresses.stream().map(URI::toString).collect(Collectors.joining(",")),
                        "")
                .redirectErrorStream(true)
                .start();
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = python.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                if (lines.size() == batch) {
                    servers.get(server).destroyForcibly();
                }
            }
        }
        assertThat(python.waitFor()).as(String.join("\n", lines)).isZero();
        return lines;
    }

    @Test
    void servers_killedOneAfterAnother_changeNoBatch() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Process python = new ProcessBuilder("sh", "-c", "python3 -c 'import numpy'").start();
        boolean hasPython = python.waitFor() == 0;

        List<String> wanted = takenInJava(-1, 0);
        List<String> first = takenInJava(1 + random.nextInt(200), 0);

        assertThat(first).as("seed %d", seed).hasSize(BATCHES).isEqualTo(wanted);
        assertThat(servers.get(0).waitFor()).isEqualTo(128 + 9);
        assumeTrue(hasPython, "the rest of this test needs python3 with numpy on the path");

        List<String> second = takenInPython(1 + random.nextInt(200), 1);
        List<String> third = takenInPython(-1, 0);

        assertThat(second).as("seed %d", seed).hasSize(BATCHES).isEqualTo(third);
        assertThat(servers.get(1).waitFor()).isEqualTo(128 + 9);
        assertThat(third)
                .extracting(line -> line.split(" ", 4)[3])
                .isEqualTo(wanted.stream().map(line -> line.split(" ", 3)[1]).toList());
    }
}
