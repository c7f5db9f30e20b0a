package io.penstock.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.element.HalfFloat;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tables that others wrote equal what another reader found in them, or are refused for a reason. */
class SharedTablesTest {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));

    /** Why a file is refused that the other reader takes. */
    private static final Map<String, String> REFUSED =
            Map.of("rle-dict-uncompressed-corrupt-checksum.parquet", "the checksum of a page is wrong");

    @TestFactory
    Stream<DynamicTest> parquet() throws IOException {
        Path expected = DATA.resolve("expected/parquet.jsonl");
        assumeTrue(Files.exists(expected), "no shared data at " + DATA);
        List<DynamicTest> tests = new ArrayList<>();
        for (String line : Files.readAllLines(expected)) {
            JsonNode file = new ObjectMapper().readTree(line);
            tests.add(DynamicTest.dynamicTest(file.get("path").asText(), () -> compare(file)));
        }
        return tests.stream();
    }

    private static void compare(JsonNode file) {
        Path path = DATA.resolve(file.get("path").asText());
        String refused = REFUSED.get(path.getFileName().toString());
        if (refused != null || file.has("error")) {
            assertThatThrownBy(() -> loadAll(path))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining(path.getFileName().toString())
                    .hasMessageContaining(refused == null ? "" : refused);
            return;
        }
        try (Table table =
                Table.open(path, TableFormat.parquet(), TableOptions.standard().fillNulls(0))) {
            long read = file.path("rows_read").asLong(file.get("rows").asLong());
            assertThat(table.size()).isEqualTo(read);
            for (int i = 0; i < file.path("first").size(); i++) {
                compare(table.get(i).block(), file.get("first").get(i));
            }
            assertThat(loadAll(path)).isEqualTo(read);
        }
    }

    /** Every row, so that every page is decoded. */
    private static long loadAll(Path path) {
        try (Table table =
                Table.open(path, TableFormat.parquet(), TableOptions.standard().fillNulls(0))) {
            long loaded = 0;
            while (loaded < table.size() && table.get(loaded).block() != null) {
                loaded++;
            }
            return loaded;
        }
    }

    private static void compare(Row row, JsonNode expected) {
        for (String name : row.names()) {
            if (!name.contains(".lengths")) {
                List<JsonNode> leaves = new ArrayList<>();
                collect(expected, List.of(name.split("\\.")), leaves);
                compare(name, row.tensor(name), leaves);
            }
        }
    }

    private static void compare(String name, Tensor tensor, List<JsonNode> leaves) {
        if (tensor.dtype() == DType.U8 && tensor.shape().rank() == 1) {
            StringBuilder hex = new StringBuilder();
            leaves.forEach(leaf -> hex.append(
                    leaf.has("bytes")
                            ? leaf.get("bytes").asText()
                            : HexFormat.of().formatHex(leaf.asText("").getBytes(StandardCharsets.UTF_8))));
            assertThat(HexFormat.of().formatHex(tensor.toByteArray())).as(name).isEqualTo(hex.toString());
            return;
        }
        long elements = tensor.shape().elements();
        boolean nullLists = elements < leaves.size(); // these are no elements, where null elements are
        leaves.removeIf(leaf -> nullLists && leaf.isNull());
        assertThat(leaves.size()).as(name).isLessThanOrEqualTo((int) elements);
        for (int i = 0; i < leaves.size() && leaves.size() == elements; i++) {
            JsonNode leaf = leaves.get(i);
            if (leaf.isTextual() && !leaf.asText().matches("-?\\d+|NaN")) {
                continue; // a date, which the other reader writes as text
            }
            double value = leaf.isBoolean() ? leaf.asBoolean() ? 1 : 0 : leaf.asDouble(Double.parseDouble(text(leaf)));
            assertThat(Float.valueOf((float) at(tensor, i))).as(name).isEqualTo(Float.valueOf((float) value));
        }
    }

    private static double at(Tensor tensor, int index) {
        return switch (tensor.dtype()) {
            case BOOL -> tensor.toByteArray()[index];
            case F16 ->
                HalfFloat.fromHalf(tensor.data().order(ByteOrder.LITTLE_ENDIAN).getShort(2 * index));
            default -> tensor.doubleAt(index);
        };
    }

    private static String text(JsonNode leaf) {
        return leaf.isTextual() ? leaf.asText() : "0";
    }

    /** What is at a path: the elements of lists one after another, and the keys and values of maps. */
    private static void collect(JsonNode node, List<String> path, List<JsonNode> leaves) {
        if (node.isArray()) {
            node.forEach(each -> collect(each, path, leaves));
        } else if (path.isEmpty()) {
            leaves.add(node);
        } else if (node.isObject() && node.has(path.get(0))) {
            collect(node.get(path.get(0)), path.subList(1, path.size()), leaves);
        } else if (node.isObject() && path.get(0).equals("value")) {
            node.forEach(each -> collect(each, path.subList(1, path.size()), leaves));
        } else if (node.isObject() && path.get(0).equals("key")) {
            node.fieldNames().forEachRemaining(key -> leaves.add(new ObjectMapper().valueToTree(key)));
        }
    }
}
