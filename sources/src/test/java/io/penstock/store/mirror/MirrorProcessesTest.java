package io.penstock.store.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.kit.WrappedStore;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.internal.copy.BlockSums;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** One mirror of several processes, one of which is killed while it copies. */
class MirrorProcessesTest {

    private static final int BYTES = 20 << 20; // more than one slice
    private static final String KEY = "large.bin";

    @TempDir
    private Path origin;

    @TempDir
    private Path directory;

    private static final CountDownLatch STOPPED = new CountDownLatch(1);

    private byte[] contents = {};

    @BeforeEach
    void write() throws IOException {
        contents = new byte[BYTES];
        new Random(1).nextBytes(contents);
        Files.write(origin.resolve(KEY), contents);
    }

    @Test
    void copier_killedInMidCopy_isFollowedByOneOfTheOthers() throws Exception {
        List<Process> others = List.of();
        Process killed = start(true);
        try (BufferedReader out = lines(killed)) {
            assertThat(out.readLine()).isEqualTo("stopped");
            others = List.of(start(false), start(false));
            killed.destroyForcibly();
            assertThat(killed.waitFor(300, TimeUnit.SECONDS)).isTrue();

            long copied = 0;
            for (Process other : others) {
                String[] said = lines(other).readLine().split(" ", 2);
                assertThat(said[0]).isEqualTo(Integer.toString(BYTES));
                copied += Long.parseLong(said[1]);
            }

            assertThat(copied).isEqualTo(1);
            try (FileStore files = FileStore.open(origin);
                    MirroredStore mirror = MirroredStore.of(files, directory)) {
                ByteBuffer read = mirror.read(
                                Objects.requireNonNull(files.entry(KEY).block()))
                        .block();
                assertThat(read).isEqualTo(ByteBuffer.wrap(contents));
                assertThat(mirror.copied()).isZero();
            }
            assertThat(copies())
                    .singleElement()
                    .satisfies(copy -> assertThat(copy).hasBinaryContent(contents));
        } finally {
            killed.destroyForcibly();
            others.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void copy_ofAProcessThatOpensAndClosesTheMirrorAgain_isLeftAloneByOthers() throws Exception {
        Files.write(origin.resolve("small.bin"), new byte[10]);
        Process copier = start(true, "and", "small.bin");
        try (BufferedReader out = lines(copier)) {
            assertThat(out.readLine()).isEqualTo("stopped");
            assertThat(out.readLine()).isEqualTo("10 1");

            Process other = start(false, "small.bin");
            assertThat(lines(other).readLine()).isEqualTo("10 0");

            assertThat(copies())
                    .filteredOn(copy -> copy.getFileName().toString().contains("~"))
                    .hasSize(1);
        } finally {
            copier.destroyForcibly();
        }
    }

    /** Copies, finished or not. */
    private List<Path> copies() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.getFileName().toString().contains(KEY))
                    .filter(file -> !file.getFileName().toString().startsWith(BlockSums.PREFIX))
                    .toList();
        }
    }

    private Process start(boolean stops) throws IOException {
        return start(stops, KEY);
    }

    private Process start(boolean stops, String... rest) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Copier.class.getName(),
                origin.toString(),
                directory.toString(),
                Boolean.toString(stops)));
        command.addAll(List.of(rest));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** A process that reads the entry through the mirror. */
    public static final class Copier {
        private Copier() {}

        /** The folder, the directory of the mirror, whether to stop after the first slice, and the key, or "and KEY". */
        public static void main(String[] arguments) throws InterruptedException {
            try (FileStore files = FileStore.open(Path.of(arguments[0]))) {
                Store source = Boolean.parseBoolean(arguments[2]) ? new Stopping(files) : files;
                Path directory = Path.of(arguments[1]);
                if (arguments[3].equals("and")) {
                    MirroredStore.of(source, directory).read(entry(files, KEY)).subscribe();
                    STOPPED.await();
                    read(files, files, directory, arguments[4]);
                    new CountDownLatch(1).await(); // until it is killed
                } else {
                    read(source, files, directory, arguments[3]);
                }
            }
        }

        private static StoreEntry entry(FileStore files, String key) {
            return Objects.requireNonNull(files.entry(key).block());
        }

        private static void read(Store source, FileStore files, Path directory, String key) {
            try (MirroredStore mirror = MirroredStore.of(source, directory)) {
                ByteBuffer read = mirror.read(entry(files, key)).block();
                System.out.println(Objects.requireNonNull(read).remaining() + " " + mirror.copied());
            }
        }
    }

    /** The same files, of which the second slice never comes. */
    private static final class Stopping extends WrappedStore {
        Stopping(FileStore files) {
            super(files);
        }

        @Override
        public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
            return offset == 0
                    ? super.read(entry, offset, length)
                    : Mono.<ByteBuffer>fromRunnable(() -> {
                                System.out.println("stopped");
                                STOPPED.countDown();
                            })
                            .then(Mono.never());
        }
    }
}
