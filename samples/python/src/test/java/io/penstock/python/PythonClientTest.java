package io.penstock.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import io.penstock.cli.Main;
import io.penstock.cli.serve.ServedPlan;
import io.penstock.cli.source.Picture;
import io.penstock.cli.stream.Run;
import io.penstock.cli.stream.StreamFlags;
import io.penstock.digest.StreamDigest;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pictures.PictureFolder;
import io.penstock.serve.BatchServer;
import io.penstock.serve.ServerPlan;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** A real python3 with numpy takes what {@code stream} says that it delivers. */
class PythonClientTest {

    private static final int PICTURES = 50;
    private static final int SIDE = 24;
    private static final int KILLED = 128 + 9;
    private static final Map<String, Boolean> MODULES = new ConcurrentHashMap<>();
    private static final Path MODULE =
            Path.of(System.getProperty("penstock.root", "..")).resolve("samples/python");

    @TempDir
    private static Path folder;

    @BeforeAll
    static void makePictures() throws Exception {
        assumePython("numpy");
        PictureFolder.write(Files.createDirectory(folder.resolve("pictures")), PICTURES)
                .blockLast();
    }

    private static void assumePython(String module) {
        assumeTrue(
                MODULES.computeIfAbsent(module, PythonClientTest::has),
                "this test needs python3 with " + module + " on the path");
    }

    private static boolean has(String module) {
        try {
            Process python = new ProcessBuilder("sh", "-c", "python3 -c 'import " + module + "'")
                    .redirectErrorStream(true)
                    .start();
            return python.waitFor(300, TimeUnit.SECONDS) && python.exitValue() == 0;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("cannot ask for " + module, e);
        }
    }

    private static String[] flags() {
        return "--source images:%s --resize %d --augment flip --batch 8 --cache-ram 8MiB"
                .formatted(folder.resolve("pictures"), SIDE)
                .split(" ");
    }

    private static String expected() {
        return Cli.stream(String.join(" ", flags()) + " --digest")
                .epoch(0)
                .path("content_digest")
                .asText();
    }

    private static int receive(BatchServer server, Path out, String mode, int limit)
            throws IOException, InterruptedException {
        Process python = new ProcessBuilder(
                        "python3",
                        MODULE.resolve("src/test/python/receive.py").toString(),
                        MODULE.toString(),
                        server.address().toString(),
                        out.toString(),
                        out + ".token",
                        mode,
                        Integer.toString(limit))
                .redirectErrorStream(true)
                .start();
        String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = python.waitFor();
        assertThat(status).as(said).isIn(0, KILLED);
        return status;
    }

    /** The digest of samples that were received in the order of their draws. */
    private static String digest(Path received) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(received)).order(ByteOrder.LITTLE_ENDIAN);
        int pixels = SIDE * SIDE * 3;
        assertThat(bytes.capacity()).isEqualTo(PICTURES * (pixels + Integer.BYTES));
        Draws draws = Sampler.shuffled(42).draws(PICTURES);
        StreamDigest<Picture> digest = StreamDigest.of(Schema.of(Picture.class));
        for (int number = 0; number < PICTURES; number++) {
            Draw draw = draws.at(number);
            int at = number * (pixels + Integer.BYTES);
            Tensor image = Tensor.of(DType.U8, Shape.of(SIDE, SIDE, 3), bytes.slice(at, pixels));
            digest.observe(Sample.of(draw, new Picture(image, bytes.getInt(at + pixels))));
        }
        return digest.epoch(0).content();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "shared"})
    void client_thatIsKilledAgainAndAgain_receivesWhatStreamReports(String mode) throws Exception {
        Path out = folder.resolve(mode);
        StreamFlags options = StreamFlags.parse(flags());
        int killed = 0;
        try (Run<?> plan = options.open()) {
            ServerPlan server = ServerPlan.of(new ServedPlan<>(plan, 1));
            try (BatchServer serving =
                    (mode.equals("shared") ? server.shared(folder.resolve("ring")) : server).start()) {
                for (int limit : List.of(1, 3, 100)) {
                    killed += receive(serving, out, mode, limit) == KILLED ? 1 : 0;
                }
                serving.served().block();
            }
        }

        assertThat(killed).isEqualTo(2);
        assertThat(digest(out)).isEqualTo(expected());
        assertThat(folder.resolve("ring")).doesNotExist();
    }

    @Test
    void client_ofSharedMemory_asksForItsFirstBatchAlone() throws Exception {
        StreamFlags options = StreamFlags.parse(flags());
        try (Run<?> plan = options.open();
                BatchServer server = ServerPlan.of(new ServedPlan<>(plan, 1))
                        .shared(folder.resolve("announced"))
                        .start()) {
            Process python = new ProcessBuilder(
                            "python3",
                            MODULE.resolve("src/test/python/announced.py").toString(),
                            MODULE.toString(),
                            server.address().toString(),
                            "7")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(python.waitFor()).as(said).isZero();
            assertThat(said).isEqualToIgnoringNewLines("took " + PICTURES + " asked 1");
        }
    }

    /** 50 pictures are 7 batches an epoch, 6 where the last is dropped. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plain        |  0 | keep | 7,7,end: no batch is left",
                "shared       |  0 | keep | 7,7,end: no batch is left",
                "torch        |  0 | keep | 7,7,end: no batch is left",
                "torch-shared |  0 | drop | 6,6,end: no batch is left",
                "torch-worker |  0 | keep | 7,7,end: no batch is left",
                "plain        |  3 | drop | 3,6,end: no batch is left",
                "shared       |  9 | keep | 5,end: no batch is left,end: no batch is left",
                "torch        | -1 | keep | 6,7,end: no batch is left",
                "plain        |  7 | pad  | 7,end: no batch is left,end: no batch is left",
                "plain        | 14 | keep | end: no batch is left,end: no batch is left,end: no batch is left",
            })
    void pass_ofAClient_isAnEpoch(String mode, int taken, String remainder, String passes) throws Exception {
        List<String> flags = new ArrayList<>(List.of(flags()));
        flags.addAll(List.of("--epochs", "2", "--remainder", remainder));
        try (Run<?> plan = StreamFlags.parse(flags.toArray(String[]::new)).open();
                BatchServer server = ServerPlan.of(new ServedPlan<>(plan, 1))
                        .shared(folder.resolve("epochs"))
                        .start()) {
            Process python = python("epochs.py", server, mode, "3", Integer.toString(taken));
            List<String> said = said(python);

            String[] wanted = passes.split(",");
            assertThat(said).hasSameSizeAs(wanted);
            for (int pass = 0; pass < wanted.length; pass++) {
                assertThat(said.get(pass)).startsWith(wanted[pass]);
            }
        }
    }

    @Test
    void passes_ofTwoConsumers_areTheSameEpochs() throws Exception {
        List<String> flags = new ArrayList<>(List.of(flags()));
        flags.addAll(List.of("--epochs", "2"));
        try (Run<?> plan = StreamFlags.parse(flags.toArray(String[]::new)).open();
                BatchServer server = ServerPlan.of(new ServedPlan<>(plan, 1))
                        .consumers(2)
                        .shared(folder.resolve("two"))
                        .start()) {
            Process one = python("epochs.py", server, "plain", "2", "0");
            Process other = python("epochs.py", server, "shared", "2", "0");

            assertThat(said(one)).containsExactly("7", "7");
            assertThat(said(other)).containsExactly("7", "7");
        }
    }

    private static Process python(String script, BatchServer server, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "python3",
                MODULE.resolve("src/test/python").resolve(script).toString(),
                MODULE.toString(),
                server.address().toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static List<String> said(Process python) throws IOException, InterruptedException {
        String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(python.waitFor()).as(said).isZero();
        return said.lines().toList();
    }

    /** A worker is a process of its own, which hands over copies. */
    @ParameterizedTest
    @CsvSource({"http, 0", "http, 1", "shared, 0", "shared, 1"})
    void dataLoader_ofTorch_receivesWhatStreamReports(String mode, int workers) throws Exception {
        assumePython("torch");
        Path out = folder.resolve("torch-" + mode + workers);
        StreamFlags options = StreamFlags.parse(flags());
        try (Run<?> plan = options.open()) {
            ServerPlan server = ServerPlan.of(new ServedPlan<>(plan, 1));
            try (BatchServer serving =
                    (mode.equals("shared") ? server.shared(folder.resolve("torch-ring")) : server).start()) {
                Process python = new ProcessBuilder(
                                "python3",
                                MODULE.resolve("src/test/python/receive_torch.py")
                                        .toString(),
                                MODULE.toString(),
                                serving.address().toString(),
                                out.toString(),
                                mode,
                                Integer.toString(workers))
                        .redirectErrorStream(true)
                        .start();
                String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

                assertThat(python.waitFor()).as(said).isZero();
            }
        }

        assertThat(digest(out)).isEqualTo(expected());
    }

    private record Said(int status, String words) {}

    /** What the client prints. */
    private static Said take(String token, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("python3", "-m", "penstock"));
        command.addAll(List.of(arguments));
        ProcessBuilder python = new ProcessBuilder(command).redirectErrorStream(true);
        python.directory(MODULE.toFile());
        python.environment().put("PENSTOCK_TOKEN", token);
        Process running = python.start();
        String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(running.waitFor(), said);
    }

    @Test
    void client_overTls_needsTheTokenAndTheCertificate() throws Exception {
        Certificate made = Certificate.make(folder);
        StreamFlags options = StreamFlags.parse(flags());
        try (Run<?> plan = options.open();
                BatchServer server = ServerPlan.of(new ServedPlan<>(plan, 1))
                        .host("0.0.0.0")
                        .secret("0123456789abcdef")
                        .tls(made.chain(), made.key())
                        .start()) {
            String address = "https://127.0.0.1:" + server.address().getPort() + "/";
            String trust = made.chain().toString();

            assertFails(take("0123456789abcdeX", address, "--cafile", trust), "answered 401");
            assertFails(take("0123456789abcdef", address), "CERTIFICATE_VERIFY_FAILED");
            Said said = take("0123456789abcdef", address, "--cafile", trust);
            assertThat(said.words()).contains("\"samples\": " + PICTURES);
            assertThat(said.status()).isZero();
        }
    }

    private static void assertFails(Said said, String says) {
        assertThat(said.status()).isEqualTo(1);
        assertThat(said.words().lines()).singleElement().asString().contains(says);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "foo                             | 2 | address must be http://HOST:PORT/",
                "http://127.0.0.1:many/          | 2 | many",
                "http://penstock.example/        | 2 | use https",
                "https://127.0.0.1:1/ --cafile x | 1 | No such file"
            })
    void client_askedForWhatCannotBe_saysSoInOneLine(String arguments, int status, String says) throws Exception {
        Said said = take("0123456789abcdef", arguments.split(" "));

        assertThat(said.status()).isEqualTo(status);
        assertThat(said.words().lines()).singleElement().asString().contains(says);
    }

    @Test
    void client_thatTakesABatchAndWaits_holdsThePipelineBack() throws Exception {
        CountingFeed feed = new CountingFeed();
        try (BatchServer server = ServerPlan.of(feed).start()) {
            Process python = new ProcessBuilder(
                            "python3",
                            MODULE.resolve("src/test/python/dawdle.py").toString(),
                            MODULE.toString(),
                            server.address().toString())
                    .redirectErrorStream(true)
                    .start();
            try (BufferedReader lines = python.inputReader(StandardCharsets.UTF_8)) {
                assertThat(lines.readLine()).isEqualTo("took 1");

                long loads = Flux.interval(Duration.ofMillis(50))
                        .map(tick -> feed.loads())
                        .buffer(20, 1)
                        .filter(seen -> seen.get(0).equals(seen.get(19)))
                        .blockFirst()
                        .get(0);

                assertThat(loads).isGreaterThan(CountingFeed.BATCH).isLessThan(CountingFeed.SAMPLES / 2);
                python.outputWriter(StandardCharsets.UTF_8).append("go on\n").flush();
                assertThat(lines.readLine()).isEqualTo("took " + CountingFeed.SAMPLES / CountingFeed.BATCH);
                assertThat(feed.loads()).isEqualTo(CountingFeed.SAMPLES);
                assertThat(python.waitFor()).isZero();
            } finally {
                python.destroyForcibly();
            }
        }
    }

    @Test
    void command_once_servesARunAndEnds() throws Exception {
        List<String> command = CliProcess.command();
        command.addAll(1, PythonPackageTest.QUICK_START);
        command.addAll(List.of(Main.class.getName(), "serve", "--once"));
        command.addAll(List.of(flags()));
        Process serving = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = serving.inputReader(StandardCharsets.UTF_8)) {
            Process python = new ProcessBuilder("python3", "-m", "penstock", lines.readLine())
                    .directory(MODULE.toFile())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(said).contains("\"samples\": " + PICTURES);
            assertThat(serving.waitFor()).isZero();
        } finally {
            serving.destroyForcibly();
        }
    }
}
