package io.penstock.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Sampler;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

class RecordWriterTest {

    record Pair(Tensor values, int number) {}

    @TempDir
    private Path folder;

    @Test
    void file_ofSamples_isTheirFieldsOneBehindTheOther() throws IOException {
        Path file = folder.resolve("pairs.bin");

        StepVerifier.create(
                        Numbers.of(10, 4)
                                .map("pair", v -> new Pair(v, (int) v.longAt(0)))
                                .onError(ErrorPolicy.skip())
                                .stream(Sampler.sequential())
                                .as(RecordWriter.of(Schema.of(Pair.class)).file(file)),
                        0)
                .thenRequest(1)
                .expectNext(new Written(file.toString(), 9, 1, 9 * 20))
                .verifyComplete();

        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(bytes.getLong(8 * 20)).isEqualTo(9);
        assertThat(bytes.getLong(8 * 20 + 8)).isEqualTo(-9);
        assertThat(bytes.getInt(8 * 20 + 16)).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 300_000, 262_144})
    void file_ofAnyLengthOfRecord_holdsEveryByte(int length) throws IOException {
        Path file = folder.resolve("records.bin");

        Numbers.of(5)
                .map("fill", v -> {
                    byte[] bytes = new byte[length];
                    java.util.Arrays.fill(bytes, (byte) v.longAt(0));
                    return Tensor.ofBytes(bytes);
                })
                .stream(Sampler.sequential())
                .as(RecordWriter.of(Schema.tensor("bytes")).file(file))
                .block();

        byte[] bytes = Files.readAllBytes(file);
        assertThat(bytes).hasSize(5 * length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != i / length) {
                assertThat(bytes[i]).as("byte %d", i).isEqualTo((byte) (i / length));
            }
        }
    }

    @Test
    void file_ofAnotherLength_failsAndLeavesWhatWasThere() throws IOException {
        Path file = Files.writeString(folder.resolve("records.bin"), "before");

        StepVerifier.create(Numbers.of(3).map("ragged", v -> Tensor.ofBytes(new byte[(int) v.longAt(0) + 1])).stream(
                                Sampler.sequential())
                        .as(RecordWriter.of(Schema.tensor("bytes")).file(file)))
                .verifyErrorMessage(
                        "cannot write %s: its first record has 1 bytes, sample 1 has 2; records are of one length"
                                .formatted(file));

        assertThat(file).hasContent("before");
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }
}
