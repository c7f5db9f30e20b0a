package io.penstock.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** CSV and JSON lines that others wrote have the records that another reader found in them. */
class SharedDelimitedTest {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));

    @TestFactory
    Stream<DynamicTest> tables() throws IOException {
        Path expected = DATA.resolve("expected/tables.jsonl");
        assumeTrue(Files.exists(expected), "no shared data at " + DATA);
        List<DynamicTest> tests = new ArrayList<>();
        for (String line : Files.readAllLines(expected)) {
            JsonNode file = new ObjectMapper().readTree(line);
            String path = file.get("path").asText();
            tests.add(DynamicTest.dynamicTest(path, () -> {
                if (path.startsWith("csv")) {
                    compareCsv(file);
                } else {
                    compareJson(file);
                }
            }));
        }
        return tests.stream();
    }

    private static List<String> words(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    private static String text(Tensor tensor) {
        return new String(tensor.toByteArray(), StandardCharsets.UTF_8);
    }

    private static List<String> texts(Table table, long row) {
        return Objects.requireNonNull(table.get(row).block()).values().stream()
                .map(SharedDelimitedTest::text)
                .toList();
    }

    private static void compareCsv(JsonNode file) {
        try (Table table =
                Table.open(DATA.resolve(file.get("path").asText()), TableFormat.csv(), TableOptions.standard())) {
            assertThat(table.size()).isEqualTo(file.get("records_with_header").asLong() - 1);
            assertThat(table.schema().names()).isEqualTo(words(file.get("header")));
            assertThat(texts(table, 0)).isEqualTo(words(file.get("first")));
            assertThat(texts(table, table.size() - 1)).isEqualTo(words(file.get("last")));
            for (long row = 0; row < table.size(); row++) {
                assertThat(texts(table, row)).hasSize(file.get("columns_max").asInt());
            }
        }
    }

    private static void compareJson(JsonNode file) {
        String[] keys = words(file.get("keys")).toArray(String[]::new);
        TableOptions options = TableOptions.standard().columns(keys);
        try (Table table = Table.open(DATA.resolve(file.get("path").asText()), TableFormat.jsonLines(), options)) {
            assertThat(table.size()).isEqualTo(file.get("records").asLong());
            long[] characters = new long[keys.length];
            for (long row = 0; row < table.size(); row++) {
                List<String> texts = texts(table, row);
                for (int i = 0; i < keys.length; i++) {
                    characters[i] += texts.get(i).codePointCount(0, texts.get(i).length());
                }
            }
            for (int i = 0; i < keys.length; i++) {
                assertThat(characters[i])
                        .as(keys[i])
                        .isEqualTo(file.get("string_chars").get(keys[i]).asLong());
            }
        }
    }
}
