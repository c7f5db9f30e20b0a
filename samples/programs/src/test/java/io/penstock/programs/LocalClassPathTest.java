package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pictures.PictureFolder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a program gets that depends on sources, operators and sinks, as Maven resolves it for samples/local. Local files
 * need no more than that, in processes of their own, without a flag of the JVM.
 */
class LocalClassPathTest {

    private static final Path ROOT = Path.of(System.getProperty("penstock.root"));

    /** Its jars; folders of classes where the modules are not packaged. */
    private static final List<Path> CLASS_PATH = classPath(Path.of(System.getProperty("penstock.local")));

    private static final List<Path> OTHERS =
            CLASS_PATH.stream().filter(jar -> !jar.startsWith(ROOT)).toList();
    private static final Pattern MEASURED =
            Pattern.compile("gets (\\d+) jars.*? (\\d+) jars of others have ([\\d,]+) bytes", Pattern.DOTALL);

    @TempDir
    private Path folder;

    @Test
    void classPath_ofAProgramThatReadsLocalFiles_isAsLargeAsThePageSays() throws IOException {
        MatchResult page = MEASURED.matcher(Files.readString(ROOT.resolve("docs/libraries.md")))
                .results()
                .findFirst()
                .orElseThrow();
        long bytes = 0;
        for (Path jar : OTHERS) {
            bytes += Files.size(jar);
        }

        assertThat("%d jars, %d of others, %,d bytes".formatted(CLASS_PATH.size(), OTHERS.size(), bytes))
                .as("%s", OTHERS)
                .isEqualTo("%s jars, %s of others, %s bytes".formatted(page.group(1), page.group(2), page.group(3)));
        assertThat(OTHERS).noneMatch(jar -> jar.toString().matches(".*/(io/netty|net/openhft|com/github/luben)/.*"));
    }

    @Test
    void program_ofGettingStarted_runsOnThisClassPath() throws Exception {
        Path pictures = folder.resolve("pictures");
        PictureFolder.write(pictures, 20).blockLast();
        String program = Document.read(ROOT.resolve("docs/getting-started.md")).snippets().stream()
                .filter(Snippets::isProgram)
                .findFirst()
                .orElseThrow();
        Path source = folder.resolve("First.java");
        Files.writeString(source, program);

        String printed = run(CLASS_PATH, source.toString(), pictures.toString());

        assertThat(printed).endsWith("loaded 20, hits {ram=40}\n");
    }

    @Test
    void feature_withoutItsLibrary_namesTheArtifactAndItsVersion() throws Exception {
        List<Path> withOurs = new ArrayList<>(CLASS_PATH);
        withOurs.add(Path.of(WithoutLibraries.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI()));

        String printed = run(withOurs, WithoutLibraries.class.getName(), folder.toString());

        assertThat(printed.lines()).containsExactlyElementsOf(WithoutLibraries.expected());
    }

    /** What a program prints that ends well; no flags, no other jars. */
    private String run(List<Path> classPath, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                String.join(
                        File.pathSeparator,
                        classPath.stream().map(Path::toString).toList())));
        command.addAll(Arrays.asList(arguments));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroy();
        }
        assertThat(process.exitValue()).as(Files.readString(err)).isZero();
        return Files.readString(out);
    }

    private static List<Path> classPath(Path file) {
        return Arrays.stream(Document.read(file).text().strip().split(File.pathSeparator))
                .map(Path::of)
                .toList();
    }
}
