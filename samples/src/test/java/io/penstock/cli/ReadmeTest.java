package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README promises is there. */
class ReadmeTest {

    private static final String IMPORTS = Stream.of(
                    "augment", "batch", "cache", "folder", "image", "pipeline", "tensor")
            .map(name -> "import io.penstock." + name + ".*;\n")
            .reduce("import java.nio.file.Path;\nimport java.util.function.Consumer;\n", String::concat);

    private final Path root = Path.of(System.getProperty("penstock.root"));

    @TempDir
    private Path folder;

    @Test
    void program_asPrinted_compiles() throws IOException {
        String block = blocks("README.md").get(0);

        assertCompiles(IMPORTS + "class Program {\n" + block + "}\n");
    }

    @Test
    void sources_asPrinted_compile() throws IOException {
        String imports = Stream.of("manifest", "records", "shard", "store", "store.http", "zarr")
                .map(name -> "import io.penstock." + name + ".*;\n")
                .reduce(
                        IMPORTS + "import java.net.URI;\nimport java.nio.file.Files;\nimport java.time.Duration;\n"
                                + "import java.util.List;\nimport reactor.core.publisher.Mono;\n",
                        String::concat);
        List<String> blocks = blocks("docs/sources.md");

        for (String block : blocks) {
            assertCompiles(imports + "class Program {\nvoid run(Tier tier, Path scratch) throws Exception {\n" + block
                    + "}}\n");
        }
        assertThat(blocks).hasSizeGreaterThan(3);
    }

    private List<String> blocks(String page) throws IOException {
        Matcher blocks =
                Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(root.resolve(page)));
        List<String> found = blocks.results().map(block -> block.group(1)).toList();
        assertThat(found).isNotEmpty();
        return found;
    }

    private void assertCompiles(String program) throws IOException {
        Path source = Files.writeString(folder.resolve("Program.java"), program);

        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            messages,
                            files,
                            null,
                            List.of("-proc:none", "-d", folder.toString()),
                            null,
                            files.getJavaFileObjects(source))
                    .call();

            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }

    @Test
    void links_toFiles_leadSomewhere() throws IOException {
        Matcher links = Pattern.compile("\\]\\((docs/[^)]+)\\)").matcher(Files.readString(root.resolve("README.md")));

        assertThat(links.results().map(link -> link.group(1)))
                .isNotEmpty()
                .allSatisfy(link -> assertThat(root.resolve(link)).exists());
    }
}
