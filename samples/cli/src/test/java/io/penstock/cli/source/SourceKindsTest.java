package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every kind of source stands where people look for it, with an example that can be read. */
class SourceKindsTest {

    private static final Pattern EXAMPLE = Pattern.compile("`([a-z0-9]+):([^`]+)`");
    private static final Set<String> KINDS =
            Stream.of(SourceSpec.Kind.values()).map(SourceSpec.Kind::word).collect(Collectors.toSet());

    private static List<String> rows(String page) throws IOException {
        Path file = Path.of(System.getProperty("penstock.root", "../..")).resolve(page);
        return Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> line.startsWith("|"))
                .toList();
    }

    @Test
    void tableOfSources_hasAnExampleOfEachKind() throws IOException {
        Set<String> shown = new TreeSet<>();
        for (String row : rows("docs/sources.md")) {
            String[] cells = row.split("\\|", -1);
            var example = EXAMPLE.matcher(cells[cells.length - 2]);
            while (cells.length == 5 && example.find()) {
                if (KINDS.contains(example.group(1))) {
                    shown.add(example.group(1));
                    assertThat(SourceSpec.parse(example.group().replace("`", "")))
                            .isNotNull();
                }
            }
        }

        assertThat(shown).containsExactlyInAnyOrderElementsOf(KINDS);
    }

    @Test
    void commandLinePage_andTheMessage_nameEachKind() throws IOException {
        String table = String.join("\n", rows("docs/command-line.md"));

        assertThat(KINDS).allSatisfy(kind -> {
            assertThat(table).contains("`%s:".formatted(kind));
            assertThat(SourceSpec.KNOWN).contains(kind + ":");
        });
    }
}
