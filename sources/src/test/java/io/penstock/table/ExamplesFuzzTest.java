package io.penstock.table;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.kit.Hostile;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Records that are nearly a {@code tf.train.Example}. */
class ExamplesFuzzTest {

    @MethodSource("records")
    @FuzzTest(maxDuration = "10m")
    void example_ofAnyBytes_isReadOrRefused(byte[] record) {
        Hostile.bytes(() -> {
            Examples examples = ExamplesTest.examples(TableOptions.standard().fillNulls(0), record);
            ExamplesTest.row(examples, 0);
        });
    }

    static Stream<byte[]> records() {
        byte[] whole = ExamplesTest.message(
                1,
                ExamplesTest.entry("label", ExamplesTest.ints(7, 300)),
                ExamplesTest.entry("words", ExamplesTest.texts("ab", "c")),
                ExamplesTest.entry("f", ExamplesTest.message(2, ExamplesTest.message(1, new byte[8]))));
        Random random = new Random(5);
        return IntStream.range(0, 100).mapToObj(round -> {
            byte[] bytes = whole.clone();
            for (int i = round == 0 ? 0 : random.nextInt(5); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            return round % 2 == 0 ? bytes : Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        });
    }
}
