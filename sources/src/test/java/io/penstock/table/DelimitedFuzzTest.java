package io.penstock.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.fault.FormatException;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import io.penstock.tensor.DType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** CSV and JSON lines that are none. */
class DelimitedFuzzTest {

    private static final TableOptions OPTIONS = TableOptions.standard()
            .maxGroupBytes(16 << 20)
            .type("n", DType.I16)
            .type("f", DType.F32)
            .type("b", DType.BOOL);
    private static final TableOptions FIELDS = OPTIONS.columns("n", "f", "b", "t", "a.b", "l", "ts")
            .type("l", DType.F64)
            .lists("l", 2)
            .lists("ts", 1)
            .fillNulls(0);

    /** The first byte says which format. */
    @MethodSource("tables")
    @FuzzTest(maxDuration = "10m")
    void table_ofAnyBytes_isReadOrRefused(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] text = Arrays.copyOfRange(input, 1, input.length);
        Hostile.bytes(() -> {
            try (Table table = open(input[0] & 3, text)) {
                assertThat(table.size()).isLessThanOrEqualTo(text.length);
                for (long i = 0; i < table.size(); i++) {
                    long index = i;
                    Hostile.bytes(() -> load(table, index));
                }
            }
        });
    }

    private static Table open(int format, byte[] text) {
        return switch (format) {
            case 0 -> Table.open(MemoryStore.of("fuzz", Map.of("a.csv", text)), "a.csv", TableFormat.csv(), OPTIONS);
            case 1 -> Table.open(MemoryStore.of("fuzz", Map.of("a.tsv", text)), "a.tsv", TableFormat.csv(), OPTIONS);
            default ->
                Table.open(MemoryStore.of("fuzz", Map.of("a.jsonl", text)), "a.jsonl", TableFormat.jsonLines(), FIELDS);
        };
    }

    /** The index and the decoder find the same records. */
    private static void load(Table table, long index) {
        try {
            table.get(index).block();
        } catch (FormatException e) {
            assertThat(e.getMessage()).doesNotContain("has changed");
            throw e;
        }
    }

    static Stream<byte[]> tables() {
        Random random = new Random(7);
        String[] parts = {
            "\"",
            ",",
            "\t",
            "\n",
            "\r\n",
            "\r",
            "n",
            "12",
            "-1.5e400",
            "1e999999999",
            " ",
            "{",
            "}",
            "[",
            "]",
            ":",
            "\"n\"",
            "\"a\":{\"b\":\"",
            "null",
            "true",
            "\uFEFF",
            "\\u12",
            "NaN",
            "\0"
        };
        Stream<String> made = Stream.generate(() -> {
                    StringBuilder text = new StringBuilder().append((char) random.nextInt(4));
                    for (int i = random.nextInt(60); i > 0; i--) {
                        text.append(parts[random.nextInt(parts.length)]);
                    }
                    return text.toString();
                })
                .limit(300);
        Stream<String> known = Stream.of(
                "\0n,f,b,t\r\n1,2.5,true,\"a\"\"b\n,\"\r\n,,,\nNA,inf,0,x\n1,2\n\n",
                "\1n\tt\n1\t\"x\"y\n\"2\"\t\n",
                "\2{\"n\":1,\"f\":2.5,\"b\":true,\"t\":\"x\",\"a\":{\"b\":\"y\"},\"l\":[[1],[]],\"ts\":[\"a\"]}\n{}\n[]\n",
                "\2" + "[".repeat(5000),
                "\2{\"l\":" + "[".repeat(5000),
                "\0" + "\"".repeat(5001),
                "\0n\n" + "9".repeat(10_000));
        return Stream.concat(known, made).map(text -> text.getBytes(StandardCharsets.UTF_8));
    }
}
