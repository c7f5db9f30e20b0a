package io.penstock.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Length of files and lines, and null-marked packages: only the sources show them. */
class SourceFilesTest {

    private static final PathMatcher TESTS =
            FileSystems.getDefault().getPathMatcher("glob:**/src/{test,kit}/java/io/**");
    private static final PathMatcher PROGRAM = file -> !TESTS.matches(file);

    /** An IOException as text at the end of a message. */
    private static final Pattern UNREASONED =
            Pattern.compile("\\bIOException e\\) \\{[^}]*?: %s\"\\s*\\.formatted\\([^;]*?\\be\\), e\\)");

    @Test
    void files_ofTheProgram_haveAtMost400Lines() {
        assertThat(longerThan(400, sources(PROGRAM))).isEmpty();
    }

    @Test
    void files_ofTests_haveAtMost600Lines() {
        assertThat(longerThan(600, sources(TESTS))).isEmpty();
    }

    @Test
    void lines_ofAllFiles_haveAtMost130Columns() {
        assertThat(sources(file -> true).stream()
                        .flatMap(file -> lines(file).stream()
                                .filter(line -> line.length() > 130)
                                .map(line -> file + ": " + line)))
                .isEmpty();
    }

    @Test
    void packages_allOfThem_areNullMarked() {
        Set<Path> marked = sources(PROGRAM).stream()
                .filter(SourceFilesTest::isNullMarked)
                .map(SourceFilesTest::packageOf)
                .collect(Collectors.toSet());

        assertThat(sources(PROGRAM)).allSatisfy(file -> assertThat(marked).contains(packageOf(file)));
    }

    /** "java.nio.file.NoSuchFileException: PATH" behind a path says less than FileErrors.reason. */
    @Test
    void messages_ofFailedFiles_giveAReason() {
        assertThat(sources(PROGRAM).stream()
                        .filter(file -> !file.endsWith("MeetingPlace.java")) // of hosts, whose reasons are their names
                        .filter(file -> UNREASONED
                                .matcher(String.join("\n", lines(file)))
                                .find()))
                .isEmpty();
    }

    private static List<String> longerThan(int most, List<Path> files) {
        return files.stream()
                .filter(file -> lines(file).size() > most)
                .map(file -> file + " has " + lines(file).size() + " lines")
                .toList();
    }

    private static boolean isNullMarked(Path file) {
        return file.endsWith("package-info.java") && lines(file).contains("@NullMarked");
    }

    /** {@code io/penstock/cli}, in whichever folder of sources. */
    private static Path packageOf(Path file) {
        Path folder = file.getParent();
        for (int i = folder.getNameCount() - 1; i >= 0; i--) {
            if (folder.getName(i).toString().equals("io")) {
                return folder.subpath(i, folder.getNameCount());
            }
        }
        throw new IllegalStateException(file + " is in no package of ours");
    }

    /** Those of modules that a profile adds too, whether or not they are built. */
    private static List<Path> sources(PathMatcher which) {
        return Stream.concat(
                        Modules.LIBRARIES.stream(),
                        Stream.concat(Modules.SAMPLES.keySet().stream(), Stream.of("python", "programs"))
                                .map(module -> "samples/" + module))
                .map(module -> Modules.root().resolve(module).resolve("src"))
                .flatMap(SourceFilesTest::javaFiles)
                .filter(which::matches)
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
