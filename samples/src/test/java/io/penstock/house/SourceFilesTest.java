package io.penstock.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What only the sources show: how long a file is, and whether its package is null-marked. */
class SourceFilesTest {

    @Test
    void files_ofTheProgram_haveAtMost400Lines() {
        assertThat(longerThan(400, sources("main"))).isEmpty();
    }

    @Test
    void files_ofTests_haveAtMost600Lines() {
        assertThat(longerThan(600, sources("test"))).isEmpty();
    }

    @Test
    void packages_allOfThem_areNullMarked() {
        List<Path> unmarked = sources("main").stream()
                .map(Path::getParent)
                .distinct()
                .filter(folder -> !isNullMarked(folder.resolve("package-info.java")))
                .toList();

        assertThat(unmarked).isEmpty();
    }

    private static List<String> longerThan(int most, List<Path> files) {
        return files.stream()
                .filter(file -> lines(file).size() > most)
                .map(file -> file + " has " + lines(file).size() + " lines")
                .toList();
    }

    private static boolean isNullMarked(Path packageInfo) {
        return Files.exists(packageInfo) && lines(packageInfo).contains("@NullMarked");
    }

    private static List<Path> sources(String set) {
        return Stream.concat(Modules.LIBRARIES.stream(), Stream.of(Modules.SAMPLES))
                .map(module -> Modules.root().resolve(module).resolve("src").resolve(set))
                .filter(Files::exists)
                .flatMap(SourceFilesTest::javaFiles)
                .toList();
    }

    private static Stream<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
