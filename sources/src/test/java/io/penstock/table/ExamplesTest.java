package io.penstock.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.fault.FormatException;
import io.penstock.memory.MemoryDataset;
import io.penstock.shard.TfRecordMaker;
import io.penstock.shard.TfRecords;
import io.penstock.table.internal.ExampleFeatures;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class ExamplesTest {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));

    @TempDir
    private Path folder;

    @TestFactory
    List<DynamicTest> filesOfOthers_haveTheExpectedFeatures() throws IOException {
        Path expected = DATA.resolve("expected/tfrecord.jsonl");
        assumeTrue(Files.exists(expected), "no shared data at " + DATA);
        ObjectMapper json = new ObjectMapper();
        return Files.readAllLines(expected).stream()
                .map(line -> Objects.requireNonNull(read(json, line)))
                .map(file -> DynamicTest.dynamicTest(file.get("path").asText(), () -> compare(file)))
                .toList();
    }

    private static JsonNode read(ObjectMapper json, String line) {
        try {
            return json.readTree(line);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void compare(JsonNode file) throws Exception {
        try (TfRecords records = TfRecords.open(DATA.resolve(file.get("path").asText()), null)) {
            assertThat(records.size()).isEqualTo(file.get("records").asLong());
            MessageDigest payloads = MessageDigest.getInstance("SHA-256");
            for (long i = 0; i < records.size(); i++) {
                payloads.update(Objects.requireNonNull(records.get(i).block()).toByteArray());
            }
            assertThat(HexFormat.of().formatHex(payloads.digest()))
                    .isEqualTo(file.get("payload_sha256").asText());
            Examples examples = Examples.of(records, TableOptions.standard().fillNulls(0));
            List<Row> rows = LongStream.range(0, examples.size())
                    .mapToObj(i -> Objects.requireNonNull(examples.get(i).block()))
                    .toList();
            for (Map.Entry<String, JsonNode> feature : file.path("features").properties()) {
                compare(examples, rows, feature.getKey(), feature.getValue());
            }
        }
    }

    private static void compare(Examples examples, List<Row> rows, String name, JsonNode expected) {
        if (expected.get("type").asText().equals("empty")) {
            assertThat(examples.schema().names()).doesNotContain(name);
            return;
        }
        boolean all = expected.get("present").asLong() == examples.size();
        long values = 0;
        long sum = 0;
        for (Row row : rows) {
            Tensor tensor = row.tensor(name);
            values += tensor.dtype() == DType.U8 ? 1 : tensor.shape().elements();
            for (int at = 0; tensor.dtype() == DType.I64 && at < tensor.shape().elements(); at++) {
                sum += tensor.longAt(at);
            }
        }
        assertThat(values).as(name).isEqualTo(all ? expected.get("values").asLong() : examples.size());
        assertThat(sum).as(name).isEqualTo(expected.path("int_sum").asLong());
    }

    static byte[] message(int field, byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.write(field << 3 | 2);
        for (int rest = all.size(); ; rest >>>= 7) {
            message.write(rest < 128 ? rest : rest & 127 | 128);
            if (rest < 128) {
                break;
            }
        }
        message.writeBytes(all.toByteArray());
        return message.toByteArray();
    }

    static byte[] entry(String name, byte[] value) {
        return message(1, message(1, name.getBytes(StandardCharsets.UTF_8)), message(2, value));
    }

    static byte[] ints(int... values) {
        byte[] packed = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            packed[i] = (byte) values[i];
        }
        return message(3, message(1, packed));
    }

    static byte[] texts(String... values) {
        byte[][] all = new byte[values.length][];
        for (int i = 0; i < values.length; i++) {
            all[i] = message(1, values[i].getBytes(StandardCharsets.UTF_8));
        }
        return message(1, all);
    }

    static Examples examples(TableOptions options, byte[]... records) {
        List<Tensor> tensors = Arrays.stream(records)
                .map(bytes -> Tensor.of(DType.U8, Shape.of(bytes.length), ByteBuffer.wrap(bytes)))
                .toList();
        return Examples.of(MemoryDataset.of("made", tensors), options);
    }

    static Row row(Examples examples, long index) {
        return Objects.requireNonNull(examples.get(index).block());
    }

    @Test
    void get_featuresOfAllKinds_areScalarsVectorsAndRaggedBytes() {
        byte[] unpacked = ByteBuffer.allocate(10)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 13)
                .putFloat(1.5f)
                .put((byte) 13)
                .putFloat(-2)
                .array();
        byte[] first = message(
                1,
                entry("label", ints(7)),
                entry("box", message(2, unpacked)),
                entry("words", texts("ab", "c")),
                entry("image", texts("JPEG")));
        byte[] second = message(1, entry("label", ints(9)), entry("image", texts("")));

        Examples examples = examples(TableOptions.standard(), first, second);

        assertThat(examples.fields())
                .hasToString("[box f32[n], image u8[n], label i64, words u8[n], words.lengths i32[n]]");
        assertThat(row(examples, 0).tensor("box")).isEqualTo(Tensor.ofFloats(new float[] {1.5f, -2}, 2));
        assertThat(row(examples, 0).tensor("label").longAt(0)).isEqualTo(7);
        assertThat(row(examples, 0).tensor("words").toByteArray()).isEqualTo(new byte[] {'a', 'b', 'c'});
        assertThat(row(examples, 0).tensor("words.lengths")).isEqualTo(Tensor.ofInts(new int[] {2, 1}, 2));
        assertThat(row(examples, 1).tensor("box").shape()).isEqualTo(Shape.of(0));
        assertThat(row(examples, 1).tensor("words.lengths").shape()).isEqualTo(Shape.of(0));
    }

    @Test
    void get_featureLists_areStepsWithTheirLengths() {
        byte[] steps = message(1, ints(1, 2)).clone();
        byte[] record = message(2, message(1, message(1, new byte[] {'s'}), message(2, steps, message(1, ints(3)))));

        Row row = row(examples(TableOptions.standard(), record), 0);

        assertThat(row.tensor("s").shape()).isEqualTo(Shape.of(3));
        assertThat(row.tensor("s.lengths")).isEqualTo(Tensor.ofInts(new int[] {2, 1}, 2));
    }

    @Test
    void get_missingScalar_isRefusedOrFilled() {
        byte[] first = message(1, entry("a", ints(7)), entry("b", ints(1)));
        byte[] second = message(1, entry("b", ints(1)));

        assertThatThrownBy(() ->
                        examples(TableOptions.standard(), first, second).get(1).block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("feature \"a\" is missing; say what it becomes, as in a=0");
        Examples filled = examples(TableOptions.standard().fillNulls("a", -1), first, second);
        assertThat(row(filled, 1).tensor("a").longAt(0)).isEqualTo(-1);
    }

    @Test
    void of_unknownFeature_isRefusedWithThoseThatThereAre() {
        assertThatThrownBy(() -> examples(TableOptions.standard().columns("c"), message(1, entry("a", ints(7)))))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("no value of feature \"c\"")
                .hasMessageContaining("[a]");
    }

    @Test
    void of_recordOfAnotherType_isNamedByFileByteAndNumber() throws IOException {
        Path file = folder.resolve("a.tfrecord");
        byte[] first = message(1, entry("a", ints(7)));
        byte[] other = message(1, entry("a", texts("x")));
        Files.write(file, TfRecordMaker.file(List.of(first, first, other)));

        try (TfRecords records = TfRecords.open(file, null)) {
            assertThatThrownBy(() -> Examples.of(records, TableOptions.standard()))
                    .isInstanceOf(FormatException.class)
                    .hasMessage("a.tfrecord@%d, record 2: feature \"a\" is u8, in records before i64"
                            .formatted(12 + 2 * (first.length + 16)));
        }
    }

    @Test
    void of_damagedRecord_failsAloneUnlessAllAreDamaged() throws IOException {
        Path file = folder.resolve("a.tfrecord");
        byte[] record = message(1, entry("a", ints(7)));
        byte[] bytes = TfRecordMaker.file(List.of(record, record, record));
        bytes[12 + record.length + 16] ^= 1;
        Files.write(file, bytes);

        try (TfRecords records = TfRecords.open(file, null)) {
            Examples examples = Examples.of(records, TableOptions.standard());

            assertThat(row(examples, 2).tensor("a").longAt(0)).isEqualTo(7);
            assertThatThrownBy(() -> examples.get(1).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("a.tfrecord: record 1 at byte");
            assertThatThrownBy(() -> Examples.of(records.slice(1, 2), TableOptions.standard()))
                    .hasMessageContaining("a.tfrecord: record 1 at byte");
        }
    }

    @Test
    void scanning_rareFeature_isFound() {
        byte[][] records = new byte[5000][];
        Arrays.fill(records, message(1, entry("a", ints(7))));
        records[4999] = message(1, entry("a", ints(7)), entry("b", ints(1)));
        List<Tensor> tensors = Arrays.stream(records).map(Tensor::ofBytes).toList();
        MemoryDataset<Tensor> data = MemoryDataset.of("made", tensors);

        assertThat(Examples.of(data, TableOptions.standard()).schema().names()).containsExactly("a");
        assertThat(Examples.scanning(data, TableOptions.standard()).schema().names())
                .containsExactly("a", "b");
    }

    @Test
    void read_lengthBeyondTheRecord_isRefusedWithItsByte() {
        byte[] claim = {10, -1, -1, -1, -1, -1, -1, -1, -1, 15};

        assertThatThrownBy(() -> ExampleFeatures.read(ByteBuffer.wrap(claim)))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("1152921504606846975 bytes are claimed, 0 are left at byte 10");
    }
}
