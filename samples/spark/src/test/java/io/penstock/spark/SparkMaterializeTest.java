package io.penstock.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.TestRedis;
import io.penstock.cli.serve.FileServer;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code materialize} on Spark, with executors that are processes of their own. */
@Timeout(300)
class SparkMaterializeTest {

    private static final int IMAGES = 60;

    /** What is handed out before all else is held: so few that a task of ten with four in flight cannot end on them. */
    private static final int FIRST = 6;

    @TempDir
    private static Path pictures;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makePictures() {
        PictureFolder.write(pictures, IMAGES).blockLast();
    }

    private static void await(SparkDriver job, BooleanSupplier condition) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("waited in vain: " + read(job.err()));
            }
            if (!job.process().isAlive()) {
                throw new AssertionError("the job ended too early: " + read(job.err()));
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static Map<String, byte[]> files(Path folder) throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return contents;
    }

    @Test
    void job_withoutAMaster_fillsADiskOnThisMachine() throws Exception {
        String source = "--source images:" + pictures + " --resize 32 ";
        try (SparkDriver first =
                SparkDriver.start(folder, List.of(), source + "--to disk:" + folder.resolve("cache"))) {
            Cli made = first.end();

            assertThat(made.status()).as(made.err()).isZero();
            assertThat(made.done().path("loaded").asInt()).isEqualTo(IMAGES);
            assertThat(made.err()).isEmpty();
        }
        Cli run = Cli.stream(source + "--cache-disk " + folder.resolve("cache"));
        assertThat(run.epoch(0).path("loads").asInt()).isZero();
    }

    @Test
    void job_ofASampleThatIsBroken_failsInALineThatNamesIt() throws Exception {
        Path train = folder.resolve("train");
        PictureFolder.write(train, 10).blockLast();
        Files.createDirectories(train.resolve("a-class"));
        Files.writeString(train.resolve("a-class/broken.jpg"), "<html>");
        try (SparkDriver job = SparkDriver.start(
                folder,
                List.of("spark.master=local[2]"),
                "--source images:%s --resize 32 --to tar:%s".formatted(train, folder.resolve("out")))) {
            Cli run = job.end();

            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("broken.jpg").hasLineCount(1);
        }
    }

    /** It holds leases, and has loaded samples that nobody else has; its tasks are begun again elsewhere. */
    @Test
    void job_whoseExecutorIsKilled_fillsRedisAllTheSame() throws Exception {
        AtomicInteger images = new AtomicInteger();
        try (TestRedis redis = TestRedis.in(Files.createDirectory(folder.resolve("redis")));
                FileServer files = FileServer.of(pictures).manifest().start();
                GatedServer server = new GatedServer(
                        URI.create(files.address().toString()),
                        path -> path.endsWith(".jpg") && images.incrementAndGet() > FIRST);
                SparkDriver job = SparkDriver.start(
                        folder,
                        List.of("spark.master=" + SparkDriver.TWO_EXECUTORS),
                        "--source %smanifest.jsonl --resize 32 --to redis:%s&lease=2s --tasks 6 --in-flight 4"
                                .formatted(server.address(), redis.uri()))) {
            // both are in the middle of a task, and what they ask for is held
            await(job, () -> server.held() >= 8 && job.executors().size() == 2);
            ProcessHandle victim = job.executors().get(0);
            victim.destroyForcibly();
            victim.onExit().join();
            server.open();
            Cli made = job.end();

            assertThat(made.status()).as(made.err()).isZero();
            assertThat(made.done().path("samples").asInt()).isEqualTo(IMAGES);
            assertThat(made.done().path("already").asInt()
                            + made.done().path("loaded").asInt())
                    .isEqualTo(IMAGES);
            String source = "--source " + server.address() + "manifest.jsonl --resize 32 --digest";
            Cli run = Cli.stream(source + " --cache-redis " + redis.uri());
            assertThat(run.epoch(0).path("loads").asInt()).isZero();
            assertThat(run.content(0)).isEqualTo(Cli.stream(source).content(0));
        }
    }

    /** One request is held until it is made a second time: by the second attempt at the task that waits for it. */
    @Test
    void job_whoseTaskIsTriedTwiceAtOnce_writesTheSameShards() throws Exception {
        String jpg = firstImage();
        try (FileServer files = FileServer.of(pictures).manifest().start();
                GatedServer server =
                        new GatedServer(URI.create(files.address().toString()), path -> path.endsWith("/" + jpg));
                SparkDriver job = SparkDriver.start(
                        folder,
                        List.of(
                                "spark.master=" + SparkDriver.TWO_EXECUTORS,
                                "spark.speculation=true",
                                "spark.speculation.interval=100ms",
                                "spark.speculation.multiplier=1.1",
                                "spark.speculation.quantile=0.5"),
                        "--source %smanifest.jsonl --resize 32 --to tar:%s --shard-samples 10"
                                .formatted(server.address(), folder.resolve("out")))) {
            await(job, () -> server.held() >= 2);
            server.open();
            Cli made = job.end();
            Cli plain = Cli.run(
                    "materialize",
                    "--source",
                    server.address() + "manifest.jsonl",
                    "--resize",
                    "32",
                    "--to",
                    "tar:" + folder.resolve("plain"),
                    "--shard-samples",
                    "10");

            assertThat(made.status()).as(made.err()).isZero();
            assertThat(made.done().path("shards").asInt()).isEqualTo(IMAGES / 10);
            assertThat(made.done().path("samples").asInt()).isEqualTo(IMAGES);
            assertThat(plain.status()).isZero();
            assertThat(files(folder.resolve("out"))).containsExactlyEntriesOf(files(folder.resolve("plain")));
        }
    }

    private static String firstImage() throws IOException {
        try (Stream<Path> all = Files.walk(pictures)) {
            return all.filter(file -> file.toString().endsWith(".jpg"))
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }
}
