package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.console.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The command line does not send its users to methods of the library, although the library's messages do. */
class OwnWordsTest {

    private static final Path ROOT = Path.of("..", "..");
    private static final List<String> LIBRARY = List.of("pipeline-core", "operators", "sources", "sinks");
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern TEXT = Pattern.compile("(?<!')\"((?:[^\"\\\\\\n]|\\\\.)*)\"");
    private static final Pattern METHOD =
            Pattern.compile("\\b[a-z]+[A-Z][A-Za-z]*\\b|\\b\\w+\\(\\)|(?<!-)\\b[A-Z]\\w+\\.[a-z]\\w+");

    /** Files whose messages no command brings about. */
    private static final Set<String> FOR_PROGRAMS = Set.of(
            "ResumeToken.java",
            "ErrorPolicy.java",
            "Components.java",
            "Sample.java",
            "ShuffleRun.java",
            "Arrivals.java",
            "KryoCodec.java",
            "Waiting.java",
            "Backlog.java",
            "BatchLoop.java",
            "Commits.java");

    @Test
    void messages_ofTheLibrary_nameNoMethodOnTheCommandLine() throws IOException {
        List<String> messages = messages();

        assertThat(messages).hasSizeGreaterThan(500);
        assertThat(messages.stream().map(Reason::inOwnWords).filter(OwnWordsTest::namesAMethod))
                .isEmpty();
        assertThat(messages.stream().filter(OwnWordsTest::namesAMethod)).hasSizeGreaterThan(10);
    }

    private static boolean namesAMethod(String message) {
        return METHOD.matcher(message).find();
    }

    /** The texts in the sources that have several words. */
    private static List<String> messages() throws IOException {
        List<String> messages = new ArrayList<>();
        for (String module : LIBRARY) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                for (Path file : files.filter(OwnWordsTest::isOfInterest).toList()) {
                    String code = COMMENT.matcher(Files.readString(file)).replaceAll("");
                    TEXT.matcher(JOINED.matcher(code).replaceAll(""))
                            .results()
                            .map(found -> found.group(1))
                            .filter(text -> text.contains(" "))
                            .forEach(messages::add);
                }
            }
        }
        return messages;
    }

    private static boolean isOfInterest(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".java") && !FOR_PROGRAMS.contains(name);
    }
}
