package io.penstock.quarantine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.batch.MadeDataset;
import io.penstock.fault.FormatException;
import io.penstock.fault.SampleException;
import io.penstock.fault.StoreException;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.tensor.Tensor;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

class QuarantineFileTest {

    @TempDir
    Path folder;

    private Path path;

    @BeforeEach
    void place() {
        path = folder.resolve("bad.jsonl");
    }

    private static SampleException failure(long index) {
        return new SampleException(
                "decode", index, "train/" + index + ".jpg", new EOFException("ends at byte " + index));
    }

    private static QuarantinedSample sample(long index) {
        return new QuarantinedSample(
                index, "train/" + index + ".jpg", "decode", "java.io.EOFException", "ends at byte " + index);
    }

    private void write(long... indices) {
        try (QuarantineFile file = QuarantineFile.at(path)) {
            LongStream.of(indices).forEach(index -> file.accept(failure(index)));
        }
    }

    private void append(String text) throws IOException {
        Files.writeString(path, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Test
    void failures_areALineOfJsonEach() throws IOException {
        write(48_213);

        assertThat(Files.readString(path))
                .isEqualTo("{\"index\":48213,\"name\":\"train/48213.jpg\",\"stage\":\"decode\","
                        + "\"cause\":\"java.io.EOFException\",\"message\":\"ends at byte 48213\"}\n");
        assertThat(QuarantineFile.read(path)).containsExactly(sample(48_213));
    }

    @Test
    void failures_areInTheFileAtOnce() {
        try (QuarantineFile file = QuarantineFile.at(path)) {
            file.accept(failure(1));

            assertThat(QuarantineFile.read(path)).containsExactly(sample(1));
        }
    }

    @Test
    void errorPolicy_writesEverySampleItSkips() {
        Dataset<Tensor> dataset = new MadeDataset<>(
                "some broken",
                10,
                index -> index % 3 == 1 ? Mono.error(new EOFException("short")) : Mono.just(Tensor.scalar(index)));

        try (QuarantineFile file = QuarantineFile.at(path)) {
            dataset.onError(ErrorPolicy.skip().quarantine(file)).stream(
                            Sampler.sequential().epochs(2))
                    .blockLast();
        }

        assertThat(QuarantineFile.read(path))
                .containsExactlyInAnyOrder(
                        new QuarantinedSample(1, "#1", "load", "java.io.EOFException", "short"),
                        new QuarantinedSample(4, "#4", "load", "java.io.EOFException", "short"),
                        new QuarantinedSample(7, "#7", "load", "java.io.EOFException", "short"));
    }

    @Test
    void laterRun_appends() {
        write(1, 2);
        write(3);

        assertThat(QuarantineFile.read(path)).containsExactly(sample(1), sample(2), sample(3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"index\":4", "{\"index\":4,\"name\":\"x\"}"})
    void tornLastLine_isPassedOverAndCutOffByTheNextRun(String torn) throws IOException {
        write(1);
        append(torn);

        assertThat(QuarantineFile.read(path)).containsExactly(sample(1));
        write(2);
        assertThat(QuarantineFile.read(path)).containsExactly(sample(1), sample(2));
    }

    @Test
    void tornFirstLine_isCutOffToo() throws IOException {
        append("{\"ind");

        write(2);

        assertThat(QuarantineFile.read(path)).containsExactly(sample(2));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a picture, say",
                "a letter\n",
                "[]\n",
                "\n",
                "{}\n",
                "{\"index\":1.5,\"name\":\"\",\"stage\":\"\",\"cause\":\"\",\"message\":\"\"}\n",
                "{\"index\":99999999999999999999,\"name\":\"\",\"stage\":\"\",\"cause\":\"\",\"message\":\"\"}\n",
                "{\"index\":1,\"name\":7,\"stage\":\"\",\"cause\":\"\",\"message\":\"\"}\n",
                "{\"index\":1,\"name\":\"\",\"stage\":\"\",\"cause\":\"\",\"message\":\"\"} more\n"
            })
    void fileOfSomethingElse_isRefusedAndLeftAsItIs(String content) throws IOException {
        append(content);

        assertThatThrownBy(() -> QuarantineFile.at(path))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith(path + " is not a quarantine file: line 1 ");
        assertThatThrownBy(() -> QuarantineFile.read(path)).isInstanceOf(FormatException.class);
        assertThat(Files.readString(path)).isEqualTo(content);
    }

    @Test
    void endlessLine_isRefusedBeforeItFillsTheMemory() throws IOException {
        append("{" + " ".repeat(QuarantinedSample.LONGEST_LINE + 1));

        assertThatThrownBy(() -> QuarantineFile.read(path))
                .hasMessage(path + " is not a quarantine file: line 1 is longer than 262144 bytes");
    }

    @Test
    void longAndOddTexts_comeBack() {
        String odd = "ü \u0000 \"quoted\" \n 😀";
        try (QuarantineFile file = QuarantineFile.at(path)) {
            file.accept(new SampleException("s\ttage", 1, odd, new IllegalStateException("half a pair: \ud83d.")));
            file.accept(
                    new SampleException("x", 2, "\u0001".repeat(9_000), new IllegalStateException("y".repeat(9_000))));
            file.accept(new SampleException("x", 3, "z", new IllegalStateException()));
        }

        List<QuarantinedSample> samples = QuarantineFile.read(path);

        assertThat(samples.get(0).name()).isEqualTo(odd);
        assertThat(samples.get(0).stage()).isEqualTo("s\ttage");
        assertThat(samples.get(0).message()).isEqualTo("half a pair: ?.");
        assertThat(samples.get(1).message()).isEqualTo("y".repeat(4_096));
        assertThat(samples.get(1).name()).isEqualTo("\u0001".repeat(4_096));
        assertThat(samples.get(2).message()).isEmpty();
    }

    @Test
    void missingFolder_isNamed() {
        Path nowhere = folder.resolve("no/where/bad.jsonl");

        assertThatThrownBy(() -> QuarantineFile.at(nowhere))
                .isInstanceOf(StoreException.class)
                .hasMessage("cannot open quarantine file %s: there is no folder %s"
                        .formatted(nowhere, nowhere.getParent()));
        assertThatThrownBy(() -> QuarantineFile.read(nowhere))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(nowhere.toString());
    }

    @Test
    void folderInsteadOfAFile_isRefused() {
        assertThatThrownBy(() -> QuarantineFile.at(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("cannot open quarantine file " + folder);
    }

    @Test
    void openTwice_isRefusedUntilClosed() {
        try (QuarantineFile file = QuarantineFile.at(path)) {
            assertThatThrownBy(() -> QuarantineFile.at(path))
                    .isInstanceOf(StoreException.class)
                    .hasMessage("cannot open quarantine file " + path
                            + ": it is open already; give each rank a file of its own");
            assertThat(file.path()).isEqualTo(path);
        }
        write(1);

        assertThat(QuarantineFile.read(path)).containsExactly(sample(1));
    }

    @Test
    void closedFile_refusesWithItsName() {
        QuarantineFile file = QuarantineFile.at(path);
        file.close();
        file.close();

        assertThatThrownBy(() -> file.accept(failure(5)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("quarantine file " + path + " is closed, cannot take sample 5");
    }

    @Test
    void fullDisk_isAnErrorThatNamesTheFile() {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "no /dev/full on this system");
        List<String> messages = new ArrayList<>();

        try (QuarantineFile file = fullFile(full)) {
            assertThatThrownBy(() -> file.accept(failure(6)))
                    .isInstanceOf(StoreException.class)
                    .satisfies(e -> messages.add(e.getMessage()));
        }

        assertThat(messages)
                .singleElement()
                .asString()
                .startsWith("cannot write sample 6 to quarantine file /dev/full: ");
    }

    private static QuarantineFile fullFile(Path full) {
        return QuarantineFile.at(full);
    }

    @Test
    void manyThreads_writeWholeLines() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        try (QuarantineFile file = QuarantineFile.at(path)) {
            for (int t = 0; t < 8; t++) {
                long from = t * 100L;
                threads.add(new Thread(
                        () -> LongStream.range(from, from + 100).forEach(index -> file.accept(failure(index)))));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        }

        assertThat(QuarantineFile.read(path).stream().map(QuarantinedSample::index))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 800).boxed().toList());
    }

    @Test
    void interruptedThread_writesAllTheSame() {
        try (QuarantineFile file = QuarantineFile.at(path)) {
            Thread.currentThread().interrupt();
            file.accept(failure(1));
            assertThat(Thread.interrupted()).isTrue();
            file.accept(failure(2));
        }

        assertThat(QuarantineFile.read(path)).containsExactly(sample(1), sample(2));
    }

    @Test
    void killedProcess_leavesEveryLine() throws IOException, InterruptedException {
        String said = said(Killed.class);

        assertThat(said).contains("wrote 20");
        assertThat(QuarantineFile.read(path)).hasSize(20);
        write(20);
        assertThat(QuarantineFile.read(path)).hasSize(21);
    }

    /** What another process says that runs this class on the file. */
    private String said(Class<?> main) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        path.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }

    @Test
    void openInAnotherProcess_isRefusedUntilClosed() throws IOException, InterruptedException {
        write(3);
        try (QuarantineFile file = QuarantineFile.at(path)) {
            file.accept(failure(3));

            assertThatThrownBy(() -> QuarantineFile.at(path)).hasMessageContaining("it is open already");
            assertThat(said(Another.class)).contains("it is open already");
        }

        assertThat(said(Another.class)).contains("opened");
    }

    /** Opens, and says how that went. */
    static final class Another {

        private Another() {}

        public static void main(String[] args) {
            try (QuarantineFile file = QuarantineFile.at(Path.of(args[0]))) {
                System.out.println("opened " + file);
            } catch (StoreException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /** Writes, and is killed. */
    static final class Killed {

        private Killed() {}

        public static void main(String[] args) {
            QuarantineFile file = QuarantineFile.at(Path.of(args[0]));
            LongStream.range(0, 20).forEach(index -> file.accept(failure(index)));
            System.out.println("wrote 20");
            Runtime.getRuntime().halt(9); // no hooks, nothing closed
        }
    }
}
