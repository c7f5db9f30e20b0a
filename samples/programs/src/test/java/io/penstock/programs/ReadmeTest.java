package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the README promises is there. */
class ReadmeTest {

    private final Path root = Path.of(System.getProperty("penstock.root"));

    @TempDir
    private Path folder;

    @Test
    void program_asPrinted_compiles() throws IOException {
        Snippets.assertCompile(folder, blocks("README.md").get(0));
    }

    /** Those that leave something out, and say so, are not whole programs. */
    @ParameterizedTest
    @CsvSource({"sinks.md, 6", "cache.md, 2"})
    void snippets_ofADocument_compile(String document, int least) throws IOException {
        List<String> whole = blocks("docs/" + document).stream()
                .filter(block -> !block.contains("…"))
                .toList();
        assertThat(whole).hasSizeGreaterThanOrEqualTo(least);

        Snippets.assertCompile(folder, String.join("\n", whole));
    }

    @Test
    void statements_aboutSources_compile() throws IOException {
        List<String> blocks = blocks("docs/sources.md");
        assertThat(blocks).hasSizeGreaterThan(3);

        for (String block : blocks) {
            Snippets.assertCompile(folder, "void run(Tier tier, Path scratch) throws Exception {\n" + block + "}\n");
        }
    }

    private List<String> blocks(String page) throws IOException {
        List<String> found = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(root.resolve(page)))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(found).isNotEmpty();
        return found;
    }

    @Test
    void links_toFiles_leadSomewhere() throws IOException {
        Matcher links = Pattern.compile("\\]\\((docs/[^)]+)\\)").matcher(Files.readString(root.resolve("README.md")));

        assertThat(links.results().map(link -> link.group(1)))
                .isNotEmpty()
                .allSatisfy(link -> assertThat(root.resolve(link)).exists());
    }
}
