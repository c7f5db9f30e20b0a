package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What only a process of its own shows: signals and pipes. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ProcessTest {

    private static final int TERMINATED = 128 + 15;
    private static final int CLOSED_PIPE = 141;
    private static final Pattern TOKEN = Pattern.compile("--resume '(\\{.*})'");

    @TempDir
    private Path folder;

    @Test
    void signal_inMidRun_printsATokenThatGoesOn() throws Exception {
        Path file = Files.write(folder.resolve("records.bin"), new byte[64 * 1000]);
        Process process = start("--source", "records:" + file + ",64", "--epochs", "1000000", "--cache-ram", "1MiB");
        try (BufferedReader out = lines(process)) {
            assertThat(out.readLine()).startsWith("{\"event\":\"epoch\",\"epoch\":0,");

            process.toHandle().destroy(); // the process's own destroy closes its streams

            boolean ended = process.waitFor(30, TimeUnit.SECONDS);
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

    @Test
    void output_thatIsClosed_endsTheRunQuietly() throws Exception {
        Path file = Files.write(folder.resolve("records.bin"), new byte[64 * 1000]);
        Process process = start("--source", "records:" + file + ",64", "--epochs", "1000000", "--cache-ram", "1MiB");
        try (BufferedReader out = lines(process)) {
            assertThat(out.readLine()).contains("\"epoch\":0");
        }
        try {
            boolean ended = process.waitFor(30, TimeUnit.SECONDS);

            assertThat(ended).isTrue();
            assertThat(process.exitValue()).isEqualTo(CLOSED_PIPE);
            assertThat(process.getErrorStream().readAllBytes()).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(String... flags) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "stream",
                "--json"));
        command.addAll(List.of(flags));
        return new ProcessBuilder(command).start();
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }
}
