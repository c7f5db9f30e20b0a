package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What README.md and the pages of docs show is there. */
class DocumentsTest {

    private static final Path ROOT = Path.of(System.getProperty("penstock.root"));
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]*)(?:#([^)]+))?\\)");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|Kit|Stress))\\b");
    private static final Pattern MESSAGE = Pattern.compile("^### `(.+)`$", Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

    @TempDir
    private Path folder;

    static List<Document> documents() throws IOException {
        return Document.all();
    }

    static Stream<Document> documentsWithSnippets() throws IOException {
        return documents().stream().filter(document -> !document.snippets().isEmpty());
    }

    /** A block with "…" is an excerpt, which is not compiled. */
    @ParameterizedTest
    @MethodSource("documentsWithSnippets")
    void snippets_ofADocument_compile(Document document) throws IOException {
        List<String> whole = document.snippets().stream()
                .filter(block -> !block.contains("…"))
                .toList();

        new Snippets(folder).assertCompile(whole);
    }

    @Test
    void snippets_areFound() throws IOException {
        assertThat(documentsWithSnippets())
                .map(Document::toString)
                .contains("README.md", "docs/cache.md", "docs/sinks.md");
    }

    @ParameterizedTest
    @MethodSource("documents")
    void links_ofADocument_leadSomewhere(Document document) {
        List<MatchResult> links = LINK.matcher(document.text()).results().toList();

        assertThat(links).allSatisfy(link -> {
            Path target =
                    link.group(1).isEmpty() ? document.file() : document.file().resolveSibling(link.group(1));
            assertThat(target).exists();
            if (link.group(2) != null) {
                assertThat(anchors(target)).contains(link.group(2));
            }
        });
    }

    @Test
    void tests_thatDocumentsName_exist() throws IOException {
        Set<String> named = new TreeSet<>();
        for (Document document : documents()) {
            TEST.matcher(document.text()).results().forEach(name -> named.add(name.group(1)));
        }

        List<String> classes = javaFiles()
                .map(file -> file.getFileName().toString())
                .map(name -> name.substring(0, name.length() - ".java".length()))
                .toList();
        assertThat(classes).containsAll(named);
    }

    /** Of all modules. What is built is left out: other tests may change it now. */
    private static Stream<Path> javaFiles() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes about) {
                return directory.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes about) {
                if (file.toString().endsWith(".java")) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files.stream();
    }

    /** Their fixed parts stand in one file, in their order; strings that code joins count as one. */
    @Test
    void messages_ofTroubleshooting_standInTheCode() throws IOException {
        List<String> sources = javaFiles()
                .filter(file -> file.toString().contains("/src/main/java/"))
                .map(file -> Document.read(file).text().replaceAll("\"\\s*\\+\\s*\"", ""))
                .map(text -> text.replace("\\\"", "\""))
                .toList();
        List<String> messages = MESSAGE.matcher(Files.readString(ROOT.resolve("docs/troubleshooting.md")))
                .results()
                .map(message -> message.group(1))
                .toList();

        assertThat(messages).hasSizeGreaterThanOrEqualTo(20).allSatisfy(message -> {
            List<String> parts = List.of(message.split("…"));
            Pattern quoted = Pattern.compile(
                    parts.stream()
                            .map(part -> part.isEmpty() ? "" : Pattern.quote(part))
                            .collect(Collectors.joining(".{0,40}?")),
                    Pattern.DOTALL);
            assertThat(sources)
                    .as(message)
                    .anyMatch(text -> parts.stream().allMatch(text::contains)
                            && quoted.matcher(text).find());
        });
    }

    /** As GitHub makes them. */
    private static List<String> anchors(Path file) throws IOException {
        return HEADING.matcher(Files.readString(file))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }
}
