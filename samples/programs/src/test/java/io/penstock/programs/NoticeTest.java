package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cli.CliProcess;
import io.penstock.cli.Main;
import io.penstock.pictures.PictureFolder;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program without a logger is told, and what the command line tells in any case. */
class NoticeTest {

    @TempDir
    private Path folder;

    @Test
    void program_withoutLogger_isToldWhatTheStreamSurvives() throws IOException {
        assertToldOf(3);
    }

    @Tag("endurance")
    @Test
    void program_withoutLoggerThatKeepsBatches_isToldAfterTenSeconds() throws IOException {
        assertToldOf(4);
    }

    private void assertToldOf(int count) throws IOException {
        Files.write(folder.resolve("records"), new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 3, 3});
        Path cache = folder.resolve("cache");
        ChronicleTier.at(cache).open().close();
        Path locks = cache.resolve("locks");
        assertThat(Files.deleteIfExists(locks)).as("of %s", cache).isTrue();
        Files.createDirectory(locks);

        List<String> notices = notices(count);

        assertThat(notices.get(0)).matches("penstock: the disk cache only reads what it has .*/locks is a directory.*");
        assertThat(notices.get(1)).matches("penstock: the disk cache does without .*/locks is a directory.*");
        assertThat(notices.get(2))
                .matches(
                        "penstock: a sample cannot be loaded and is left out, .* others are counted: .*3 is refused.*");
        assertThat(notices.subList(3, count))
                .allMatch(notice ->
                        notice.matches("penstock: waiting for 10 s for one of \\d+ batches to be closed, .*"));
    }

    @Test
    void stream_withTheSlowerDecoder_saysSo() throws IOException, InterruptedException {
        PictureFolder.write(folder.resolve("train"), 2).blockLast();
        List<String> command = CliProcess.javaFlags();
        command.addAll(List.of("-cp", classPathWithout("opencv"), Main.class.getName(), "stream", "--source"));
        command.addAll(List.of("images:" + folder.resolve("train"), "--resize", "8"));
        Path err = folder.resolve("err");

        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(err.toFile())
                .start();

        assertThat(process.waitFor()).as(Files.readString(err)).isZero();
        assertThat(err)
                .content()
                .startsWith("warning: images are decoded by the JDK (jdk ")
                .hasLineCount(1);
    }

    /** The first lines that the program's standard error has of the library. */
    private List<String> notices(int count) throws IOException {
        List<String> command = CliProcess.javaFlags();
        command.addAll(List.of(
                "-cp",
                classPathWithout("slf4j-simple|slf4j-nop|logback-classic|log4j-slf4j2-impl"),
                UnloggedTrainer.class.getName(),
                folder.toString()));
        Process process = new ProcessBuilder(command).start();
        List<String> notices = new ArrayList<>();
        List<String> others = new ArrayList<>();
        try (BufferedReader err = process.errorReader()) {
            for (String line = err.readLine(); line != null && notices.size() < count; line = err.readLine()) {
                (line.startsWith("penstock: ") ? notices : others).add(line);
            }
        } finally {
            process.destroyForcibly();
        }
        assertThat(others).anyMatch(line -> line.contains("No SLF4J providers were found"));
        assertThat(notices).as("besides %s", others).hasSize(count);
        return notices;
    }

    private static String classPathWithout(String artifacts) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(jar -> !jar.matches(".*/(" + artifacts + ")-[^/]*"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
