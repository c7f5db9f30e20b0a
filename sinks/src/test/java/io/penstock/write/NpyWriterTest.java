package io.penstock.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class NpyWriterTest {

    private static final NpyWriter<Tensor> WRITER = NpyWriter.of(Schema.tensor("v"), "v");

    @TempDir
    private Path folder;

    /** Bytes that numpy.lib.format writes for {@code np.array([[1, 2, 3], [4, 5, 6]], '<i2')}. */
    @Test
    void encode_isWhatNumpyWrites() {
        Tensor values =
                Tensor.of(DType.I16, Shape.of(2, 3), ByteBuffer.wrap(new byte[] {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}));

        byte[] file = Npy.encode(values).toByteArray();

        String text = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
        assertThat(file).hasSize(128 + 12).startsWith(0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0);
        assertThat(new String(file, 10, 118, StandardCharsets.US_ASCII))
                .startsWith(text)
                .endsWith("\n")
                .isEqualToIgnoringWhitespace(text);
        assertThat(Arrays.copyOfRange(file, 128, 140)).containsExactly(1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0);
    }

    @Test
    void encode_ofAScalarAndOfAType_saysSo() {
        assertThat(new String(Npy.encode(Tensor.scalar(7f)).toByteArray(), StandardCharsets.ISO_8859_1))
                .contains("'descr': '<f4'", "'shape': ()");
        assertThatThrownBy(() -> Npy.encode(Tensor.of(DType.BF16, Shape.of(1), ByteBuffer.allocate(2))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("NumPy has no bf16; write f32");
    }

    @Test
    void file_ofSamples_isOneArrayOfThem() throws IOException {
        Path file = folder.resolve("v.npy");

        StepVerifier.create(Numbers.of(300).stream(Sampler.sequential()).as(WRITER.file(file)), 0)
                .thenRequest(1)
                .expectNext(new Written(file.toString(), 300, 0, 128 + 300 * 16))
                .verifyComplete();

        byte[] bytes = Files.readAllBytes(file);
        assertThat(new String(bytes, 10, 118, StandardCharsets.US_ASCII)).contains("'shape': (300, 2)");
        ByteBuffer rows = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(rows.getLong(128 + 299 * 16)).isEqualTo(299);
        assertThat(rows.getLong(128 + 299 * 16 + 8)).isEqualTo(-299);
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void file_ofNoSamples_isAnEmptyArray() throws IOException {
        Path file = folder.resolve("v.npy");

        StepVerifier.create(Flux.<Sample<Tensor>>empty().as(WRITER.file(file)))
                .expectNextMatches(written -> written.samples() == 0)
                .verifyComplete();

        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).contains("'descr': '|u1'", "'shape': (0,)");
    }

    @Test
    void file_whenRowsDiffer_failsAndLeavesNothing() {
        Path file = folder.resolve("v.npy");
        Flux<Sample<Tensor>> ragged =
                Numbers.of(4).map("ragged", v -> v.longAt(0) < 3 ? v : Tensor.scalar(1)).stream(Sampler.sequential());

        StepVerifier.create(ragged.as(WRITER.file(file)))
                .verifyErrorMessage("cannot write %s: its first row is i64[2], sample 3 is i32[]; resize before writing"
                        .formatted(file));

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void file_whereItCannotBe_saysWhy() {
        Path file = folder.resolve("missing/v.npy");

        StepVerifier.create(Numbers.of(1).stream(Sampler.sequential()).as(WRITER.file(file)))
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage("cannot write %s: there is no folder %s".formatted(file, file.getParent())));
        StepVerifier.create(Numbers.of(1).stream(Sampler.sequential()).as(WRITER.file(folder)))
                .verifyErrorMessage("cannot write %s: it is a folder".formatted(folder));
        assertThatThrownBy(() -> NpyWriter.of(Schema.tensor("v"), "w")).hasMessage("there is no field \"w\": only [v]");
    }
}
