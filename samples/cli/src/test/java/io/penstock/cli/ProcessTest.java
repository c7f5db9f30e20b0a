package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.resume.ResumeToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only a process of its own shows: signals and pipes. */
class ProcessTest {

    private static final int INTERRUPTED = 128 + 2;
    private static final int TERMINATED = 128 + 15;
    private static final int CLOSED_PIPE = 141;
    private static final Pattern TOKEN = Pattern.compile("--resume '(\\{.*})'");

    private static final Pattern COUNTED = Pattern.compile("interrupted: (\\d+) of 2000 shards are there; repeat");

    @TempDir
    private Path folder;

    @Tag("endurance") // an interrupt prints it, and another signal ends a run that fills a cache
    @Test
    void signal_inMidRun_printsATokenThatGoesOn() throws Exception {
        Path file = Files.write(folder.resolve("records.bin"), new byte[64 * 1000]);
        Process process = start("--source", "records:" + file + ",64", "--epochs", "1000000", "--cache-ram", "1MiB");
        try (BufferedReader out = lines(process)) {
            assertThat(out.readLine()).startsWith("{\"event\":\"epoch\",\"epoch\":0,");

            process.toHandle().destroy(); // the process's own destroy closes its streams

            boolean ended = process.waitFor(300, TimeUnit.SECONDS);
            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher token = TOKEN.matcher(err);
            assertThat(ended).isTrue();
            assertThat(process.exitValue()).isEqualTo(TERMINATED);
            assertThat(err.lines()).hasSize(1);
            assertThat(token.find()).isTrue();
            assertThat(ResumeToken.parse(token.group(1)).seed()).isEqualTo(42);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Shards that were under way when the signal came may end after it, also after they were counted. */
    @Tag("endurance") // interrupt_whileACommandBegins has a case of it
    @Test
    void materialize_thatIsInterrupted_countsTheShardsThatAreThere() throws Exception {
        Path file = Files.write(folder.resolve("records.bin"), new byte[100_000]);
        Path tar = folder.resolve("tar");
        Process process = CliProcess.interruptible(CliProcess.builder(
                        "materialize",
                        "--source",
                        "records:" + file + ",10",
                        "--to",
                        "tar:" + tar,
                        "--shard-samples",
                        "5"))
                .start();
        try {
            while (process.isAlive() && !Files.exists(tar.resolve("shard-000007.tar"))) {
                Thread.onSpinWait();
            }

            interruptUntilItEnds(process);

            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            try (Stream<Path> files = Files.list(tar)) {
                long there =
                        files.filter(each -> each.toString().endsWith(".tar")).count();
                Matcher counted = COUNTED.matcher(err);
                assertThat(counted.find()).as(err).isTrue();
                assertThat(Long.parseLong(counted.group(1)))
                        .isBetween(there - 4L * Runtime.getRuntime().availableProcessors(), there);
            }
        } finally {
            process.destroyForcibly();
        }
    }

    /** A second Ctrl-C, while the first is acted on, takes nothing from what the first says and leaves. */
    @Test
    void interrupt_repeatedUntilTheEnd_isActedOnOnce() throws Exception {
        Path file = Files.write(folder.resolve("records.bin"), new byte[64 * 1000]);
        Process process = start("--source", "records:" + file + ",64", "--epochs", "1000000", "--cache-ram", "1MiB");
        try (BufferedReader out = lines(process)) {
            assertThat(out.readLine()).startsWith("{\"event\":\"epoch\",\"epoch\":0,");

            interruptUntilItEnds(process);

            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher token = TOKEN.matcher(err);
            assertThat(process.exitValue()).isEqualTo(INTERRUPTED);
            assertThat(err.lines()).hasSize(1);
            assertThat(token.find()).isTrue();
            assertThat(ResumeToken.parse(token.group(1)).seed()).isEqualTo(42);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Each begins with a folder: from then on the signal comes. */
    @ParameterizedTest
    @ValueSource(strings = "materialize --source records:FILE,64 --to tar:BEGUN")
    void interrupt_whileACommandBegins_endsItWithALineAtMost(String flags) throws Exception {
        Path file = Files.write(folder.resolve("records.bin"), new byte[64 * 1000]);
        Path begun = folder.resolve("begun");
        ProcessBuilder command = CliProcess.builder(flags.replace("FILE", file.toString())
                .replace("BEGUN", begun.toString())
                .split(" "));
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        command.command().add(1, "-Djava.io.tmpdir=" + temporary);
        Process process = CliProcess.interruptible(command).start();
        try {
            while (process.isAlive() && !Files.exists(begun) && isEmpty(temporary)) {
                Thread.onSpinWait();
            }

            interruptUntilItEnds(process);

            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.exitValue()).as(err).isEqualTo(INTERRUPTED);
            assertThat(err.lines().filter(line -> !line.startsWith("making 640 pictures in ")))
                    .hasSizeLessThan(2)
                    .allMatch(line -> line.contains("interrupted"));
            try (Stream<Path> left = Files.list(temporary)) {
                assertThat(left).noneMatch(Files::isDirectory);
            }
        } finally {
            process.destroyForcibly();
        }
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(strings = {"stream --source records:FILE,64 --epochs 1000000 --cache-disk BEGUN,8MiB", "demo"})
    void interrupt_whileAnotherCommandBegins_endsItWithALineAtMost(String flags) throws Exception {
        interrupt_whileACommandBegins_endsItWithALineAtMost(flags);
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        }
    }

    private static void interruptUntilItEnds(Process process) throws Exception {
        while (process.isAlive()) {
            new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD) // it may end just now
                    .start()
                    .waitFor();
        }
    }

    @Test
    void output_thatIsClosed_endsTheRunQuietly() throws Exception {
        Path file = Files.write(folder.resolve("records.bin"), new byte[64 * 1000]);
        Process process = start("--source", "records:" + file + ",64", "--epochs", "1000000", "--cache-ram", "1MiB");
        try (BufferedReader out = lines(process)) {
            assertThat(out.readLine()).contains("\"epoch\":0");
        }
        try {
            boolean ended = process.waitFor(300, TimeUnit.SECONDS);

            assertThat(ended).isTrue();
            assertThat(process.exitValue()).isEqualTo(CLOSED_PIPE);
            assertThat(process.getErrorStream().readAllBytes()).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "stream --json --source records:FILE,64")
    void output_toAFullDevice_endsWithAMessage(String flags) throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "this test needs /dev/full");
        Path file = Files.write(folder.resolve("records.bin"), new byte[64 * 1000]);

        Process process = CliProcess.builder(
                        flags.replace("FILE", file.toString()).split(" "))
                .redirectOutput(full.toFile())
                .start();
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(err.lines())
                .singleElement()
                .asString()
                .contains("cannot write to standard output: No space left on device");
    }

    @Tag("endurance")
    @ParameterizedTest
    @ValueSource(strings = {"show records:FILE,64 --raw", "stream --help"})
    void output_ofOtherCommandsToAFullDevice_endsWithAMessage(String flags) throws Exception {
        output_toAFullDevice_endsWithAMessage(flags);
    }

    @Test
    void fileNames_withControlCharacters_areEscaped() throws Exception {
        String name = "a\u001b]52;c;eA==\u0007\u009b\u007f.bin";
        Path file = Files.write(folder.resolve(name), new byte[64]);

        Process process = CliProcess.builder(
                        "show", "records:" + file + ",64", "records:" + file + ",65", "text:" + file + ".no")
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(said.lines())
                .hasSize(3)
                .allMatch(line -> line.contains("a\\u001b]52;c;eA==\\u0007\\u009b\\u007f.bin"));
        assertThat(said.chars().filter(Character::isISOControl).distinct().toArray())
                .containsExactly('\n');
    }

    @Test
    void show_raw_writesTheBytesAndNothingElse() throws Exception {
        byte[] records = new byte[256 * 3];
        for (int i = 0; i < records.length; i++) {
            records[i] = (byte) (i + i / 256);
        }
        Path file = Files.write(folder.resolve("records.bin"), records);

        Process second = CliProcess.java("show", "records:" + file + ",256", "--raw", "--index", "1");
        byte[] written = second.getInputStream().readAllBytes();
        Cli outside = Cli.run("show", "records:" + file + ",256", "--raw", "--index", "3");

        assertThat(written).isEqualTo(Arrays.copyOfRange(records, 256, 512));
        assertThat(second.waitFor()).isZero();
        assertThat(outside.out()).isEmpty();
        assertThat(outside.status()).isEqualTo(1);
        assertThat(outside.err().lines()).singleElement().asString().contains("--index must be in [0, 3), was 3");
    }

    @Test
    void signal_whileADiskCacheIsFilled_leavesItUsable() throws Exception {
        Path file = Files.write(folder.resolve("records.bin"), new byte[4000 * 1000]);
        Path cache = folder.resolve("cache");
        String[] flags = {
            "--source", "records:" + file + ",4000", "--cache-disk", cache + ",64MiB", "--epochs", "100000"
        };
        Process process = start(flags);
        try (BufferedReader out = lines(process)) {
            assertThat(out.readLine()).startsWith("{\"event\":\"epoch\",\"epoch\":0,");
            awaitSegments(cache); // Chronicle needs a second to begin, and cannot while a signal is acted on

            process.toHandle().destroy();

            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(TERMINATED);
        } finally {
            process.destroyForcibly();
        }
        assertThat(Cli.run("cache", "verify", cache.toString()).status()).isZero();
        Cli next = Cli.stream("--source records:" + file + ",4000 --cache-disk " + cache + ",64MiB");
        assertThat(next.epoch(0).path("loads").asInt()).isZero();
    }

    @Tag("endurance") // CacheCommandTest warms what is partly there
    @Test
    void warm_thatIsInterrupted_goesOnWhereItWas() throws Exception {
        int samples = 40_000;
        Path file = Files.write(folder.resolve("records.bin"), new byte[100 * samples]);
        Path cache = folder.resolve("cache");
        String source = "records:" + file + ",100";
        Process process =
                CliProcess.java("cache", "warm", cache + ",256MiB", "--source", source, "--json", "--in-flight", "1");
        try {
            awaitSegments(cache);
            process.toHandle().destroy();
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.exitValue()).isEqualTo(TERMINATED);
            assertThat(err.lines()).singleElement().asString().contains("repeat the command to continue");
        } finally {
            process.destroyForcibly();
        }

        Cli rest = Cli.run("cache", "warm", cache + ",256MiB", "--source", source, "--json");

        assertThat(rest.status()).isZero();
        assertThat(rest.done().path("already").asInt()).isBetween(1, samples - 1);
        assertThat(rest.done().path("already").asInt()
                        + rest.done().path("loaded").asInt())
                .isEqualTo(samples);
    }

    @Test
    void clear_whileAnotherProcessHasItOpen_isRefusedNamingIt() throws Exception {
        Path file = Files.write(folder.resolve("records.bin"), new byte[4000 * 10]);
        Path cache = folder.resolve("cache");
        Process process = start(
                "--source", "records:" + file + ",4000", "--cache-disk", cache + ",8MiB", "--epochs", "100000000");
        try (BufferedReader out = lines(process)) {
            assertThat(out.readLine()).contains("\"epoch\":0");

            Cli refused = Cli.run("cache", "clear", cache.toString());

            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.err().lines())
                    .singleElement()
                    .asString()
                    .contains("it is open in process [" + process.pid() + "]");
        } finally {
            process.destroyForcibly();
        }
        process.waitFor(300, TimeUnit.SECONDS);
        assertThat(Cli.run("cache", "clear", cache.toString()).status()).isZero();
    }

    /** Watches until something was written there. */
    private static void awaitSegments(Path cache) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (System.nanoTime() < until) {
            try {
                if (Cli.run("cache", "inspect", cache.toString(), "--json")
                                .events()
                                .get(0)
                                .path("live")
                                .asInt()
                        > 0) {
                    return;
                }
            } catch (IndexOutOfBoundsException notYet) {
                // it has not been made yet
            }
            LockSupport.parkNanos(20_000_000);
        }
        throw new AssertionError("nothing was cached within a minute");
    }

    private static Process start(String... flags) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("stream", "--json"));
        arguments.addAll(List.of(flags));
        return CliProcess.interruptible(CliProcess.builder(arguments.toArray(String[]::new)))
                .start();
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }
}
