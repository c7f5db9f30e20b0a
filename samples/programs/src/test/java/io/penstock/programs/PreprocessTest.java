package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import io.penstock.cli.Main;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code samples/programs/preprocess.sh}, with processes of its own. */
class PreprocessTest {

    @TempDir
    private Path folder;

    private Cli preprocess(String arguments) throws IOException, InterruptedException {
        Path script = Path.of(System.getProperty("penstock.root"), "samples/programs/preprocess.sh");
        List<String> command = new ArrayList<>(List.of("bash", script.toString()));
        command.addAll(Arrays.asList(arguments.split(" ")));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("PENSTOCK", launcher().toString());
        Process process = builder.start();
        try {
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroy();
        }
        return new Cli(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** As {@code ./penstock} is, for the classes under test. */
    private Path launcher() throws IOException {
        List<String> java = CliProcess.command();
        String command = "#!/bin/sh\nexec '%s' '%s' \"$@\"\n".formatted(String.join("' '", java), Main.class.getName());
        Path launcher = Files.writeString(folder.resolve("penstock"), command, StandardCharsets.UTF_8);
        return Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void processes_thatShareTheWork_leaveWhatOneWouldHaveMade() throws Exception {
        byte[] bytes = new byte[10 * 32];
        new Random(1).nextBytes(bytes);
        String job = "--source records:%s,32 --shard-samples 3 --to tar:"
                .formatted(Files.write(folder.resolve("records.bin"), bytes));

        Cli two = preprocess("2 " + job + folder.resolve("two"));
        Cli one = Cli.run(("materialize " + job + folder.resolve("one")).split(" "));

        assertThat(two.status()).as(two.err()).isZero();
        assertThat(two.events())
                .extracting(event -> event.path("samples").asInt())
                .containsExactly(6, 4);
        assertThat(two.err()).endsWith("10 of 10 samples, 2 of 2 processes have ended\n");
        assertThat(one.status()).isZero();
        assertThat(shards("two")).isEqualTo(shards("one")).hasSize(4);
    }

    private List<ByteBuffer> shards(String name) throws IOException {
        List<ByteBuffer> contents = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder.resolve(name), "*.tar")) {
            for (Path file : files) {
                contents.add(ByteBuffer.wrap(Files.readAllBytes(file)));
            }
        }
        contents.sort(null);
        return contents;
    }

    @Test
    void process_thatFails_isNamedWithItsReason() throws Exception {
        Cli job = preprocess(
                "1 --source records:%s,32 --to tar:%s".formatted(folder.resolve("none"), folder.resolve("shards")));

        assertThat(job.status()).isEqualTo(1);
        assertThat(job.err()).startsWith("rank 0: penstock materialize: ").contains("none");
        assertThat(job.out()).isEmpty();
    }

    @Test
    void words_thatAreNoNumberOfProcesses_areWrongUsage() throws Exception {
        assertThat(preprocess("many --source x --to y").status()).isEqualTo(2);
    }
}
