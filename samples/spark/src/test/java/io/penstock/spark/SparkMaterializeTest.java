package io.penstock.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.TestRedis;
import io.penstock.cli.serve.FileServer;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code materialize} on Spark: on this machine alone, and on a standalone cluster whose executors are processes. */
class SparkMaterializeTest {

    private static final int IMAGES = 60;

    /** What is handed out before all else is held: so few that a task of ten with four in flight cannot end on them. */
    private static final int FIRST = 6;

    private static final int SHARD = 10;

    private static final int UUID_LENGTH = 36;

    @TempDir
    private static Path pictures;

    @TempDir
    private Path folder;

    @TempDir
    private static Path clusterFolder;

    private static SparkCluster cluster;

    @BeforeAll
    static void makePictures() throws IOException {
        cluster = SparkCluster.start(clusterFolder);
        PictureFolder.write(pictures, IMAGES).blockLast();
    }

    @AfterAll
    static void endCluster() {
        cluster.close();
    }

    private static void await(SparkDriver job, BooleanSupplier condition) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(200);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("waited in vain: " + read(job.err()) + cluster.words());
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
                        List.of("spark.master=" + cluster.address()),
                        "--source %smanifest.jsonl --resize 32 --to redis:%s&lease=2s --tasks 6 --in-flight 4"
                                .formatted(server.address(), redis.uri()))) {
            // both are in the middle of a task, and what they ask for is held
            await(job, () -> server.held() >= 8 && cluster.executors().size() == 2);
            killOne();
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

    private static void killOne() {
        ProcessHandle victim = cluster.executors().get(0);
        victim.destroyForcibly();
        victim.onExit().join();
    }

    /** Each executor has begun a shard when one of them is killed: its unfinished file is removed. */
    @Test
    void job_whoseExecutorIsKilled_writesTheSameShards() throws Exception {
        Path out = folder.resolve("out");
        List<String> images = images();
        Predicate<String> later = path -> path.endsWith(".jpg") && images.indexOf(name(path)) % SHARD != 0;
        try (FileServer files = FileServer.of(pictures).manifest().start();
                GatedServer server = new GatedServer(URI.create(files.address().toString()), later);
                SparkDriver job = SparkDriver.start(
                        folder,
                        List.of("spark.master=" + cluster.address()),
                        "--source %smanifest.jsonl --resize 32 --to tar:%s --shard-samples %d --in-flight 4"
                                .formatted(server.address(), out, SHARD))) {
            await(job, () -> writers(out).size() == 2);
            killOne();
            assertThat(unfinished(out)).as("one is of the dead executor").hasSize(2);
            server.open();
            Cli made = job.end();

            assertThat(made.status()).as(made.err()).isZero();
            assertThat(made.done().path("shards").asInt()).isEqualTo(IMAGES / SHARD);
            assertThat(made.done().path("samples").asInt()).isEqualTo(IMAGES);
            assertThat(files(out)).containsExactlyEntriesOf(shards(server));
            cluster.awaitIdle();
        }
    }

    /** The executors that have files of this folder in the making, of each of the files. */
    private static Map<String, Set<String>> writers(Path folder) {
        return unfinished(folder).stream()
                .map(name -> name.split("(?<=\\.tar)\\."))
                .collect(Collectors.groupingBy(
                        parts -> parts[0],
                        Collectors.mapping(parts -> parts[1].substring(0, UUID_LENGTH), Collectors.toSet())));
    }

    private static List<String> unfinished(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.contains(".tar.") && name.endsWith(".part"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What one process makes of the same source. */
    private Map<String, byte[]> shards(GatedServer server) throws IOException {
        Cli plain = Cli.run(
                "materialize",
                "--source",
                server.address() + "manifest.jsonl",
                "--resize",
                "32",
                "--to",
                "tar:" + folder.resolve("plain"),
                "--shard-samples",
                "" + SHARD);
        assertThat(plain.status()).isZero();
        return files(folder.resolve("plain"));
    }

    /** One request is held, until both executors have begun the shard of that sample. */
    @Test
    void job_whoseTaskIsTriedTwiceAtOnce_writesTheSameShards() throws Exception {
        String held = images().get(SHARD / 2);
        Path out = folder.resolve("out");
        try (FileServer files = FileServer.of(pictures).manifest().start();
                GatedServer server = new GatedServer(
                        URI.create(files.address().toString()),
                        path -> name(path).equals(held));
                SparkDriver job = SparkDriver.start(
                        folder,
                        List.of(
                                "spark.master=" + cluster.address(),
                                "spark.speculation=true",
                                "spark.speculation.interval=100ms",
                                "spark.speculation.multiplier=1.1",
                                "spark.speculation.quantile=0.5"),
                        "--source %smanifest.jsonl --resize 32 --to tar:%s --shard-samples %d"
                                .formatted(server.address(), out, SHARD))) {
            await(job, () -> writers(out).values().stream().anyMatch(executors -> executors.size() == 2));
            server.open();
            Cli made = job.end();

            assertThat(made.status()).as(made.err()).isZero();
            assertThat(made.done().path("shards").asInt()).isEqualTo(IMAGES / SHARD);
            assertThat(made.done().path("samples").asInt()).isEqualTo(IMAGES);
            assertThat(files(out)).containsExactlyEntriesOf(shards(server));
        }
    }

    /** Their names, in the order of the manifest. */
    private static List<String> images() throws IOException {
        try (Stream<Path> all = Files.walk(pictures)) {
            return all.filter(file -> file.toString().endsWith(".jpg"))
                    .sorted()
                    .map(file -> file.getFileName().toString())
                    .toList();
        }
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
