package io.penstock.cache.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.image.ImageDecoder;
import io.penstock.tensor.DType;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Form;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PackedFormTest {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));
    private static final Schema<Tensor> PIXELS = Schema.tensor("pixels");
    private static final Form FORM = PackedForm.zstd();

    record Labelled(Tensor pixels, int label, String name, Tensor mask) {}

    private static Tensor smooth(DType dtype, long... dims) {
        Shape shape = Shape.of(dims);
        ByteBuffer bytes = ByteBuffer.allocate((int) shape.elements() * dtype.bytes());
        Random random = new Random(3);
        for (int at = 0; at < bytes.capacity(); at++) {
            bytes.put(at, (byte) (at / dtype.bytes() / 64 + (at % dtype.bytes() == 0 ? random.nextInt(4) : 0)));
        }
        return Tensor.of(dtype, shape, bytes);
    }

    private static ByteBuffer bytes(Encoded encoded) {
        return ByteBuffer.wrap(encoded.joined().array().clone(), 0, encoded.length());
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void packed_ofAnyShape_comesBackAsItWas(DType dtype) {
        for (long[] dims : new long[][] {
            {},
            {0},
            {1},
            {9_000},
            {70, 90},
            {1, 5_000},
            {5_000, 1},
            {40, 50, 1},
            {40, 50, 2},
            {40, 50, 3},
            {40, 50, 4},
            {30, 40, 5},
            {3, 20, 30, 3},
            {0, 7, 3},
            {7, 0, 3},
            {7, 3, 0},
            {1, 1, 3}
        }) {
            Encoded plain = PIXELS.encode(smooth(dtype, dims));
            Encoded packed = FORM.pack(plain);

            assertThat(FORM.isOf(plain.joined())).isFalse();
            if (packed == null) {
                assertThat(plain.length()).as(dtype + Shape.of(dims).toString()).isLessThan(2_000);
                continue;
            }
            assertThat(packed.length()).isLessThan(plain.length());
            assertThat(FORM.isOf(packed.joined())).isTrue();
            assertThat(FORM.unpack(packed.joined())).isEqualTo(plain.joined());
        }
    }

    @Test
    void packed_ofSeveralFields_comesBackAsItWas() {
        Schema<Labelled> schema = Schema.of(Labelled.class);
        Labelled value = new Labelled(smooth(DType.U8, 60, 80, 3), 7, "grün", smooth(DType.I32, 60, 80));

        Encoded packed = FORM.pack(schema.encode(value));

        assertThat(schema.decode(FORM.unpack(packed.joined()))).isEqualTo(value);
        ByteBuffer framed = ByteBuffer.allocateDirect(packed.length() + 9);
        framed.position(5).limit(5 + packed.length());
        packed.copyTo(framed, 5);
        assertThat(schema.decode(FORM.unpack(framed.asReadOnlyBuffer()))).isEqualTo(value);
    }

    @Test
    void pack_whatDoesNotBecomeShorter_isRefused() {
        byte[] random = new byte[30_000];
        new Random(1).nextBytes(random);

        assertThat(FORM.pack(PIXELS.encode(Tensor.ofBytes(random, 100, 100, 3))))
                .isNull();
    }

    @Test
    void unpack_damagedBytes_isNeverAnotherValue() {
        Encoded plain = PIXELS.encode(smooth(DType.U8, 20, 20, 3));
        byte[] packed = bytes(FORM.pack(plain)).array();

        for (int at = 0; at < packed.length; at++) {
            for (int change : new int[] {1, 0x10, 0x80}) {
                packed[at] ^= (byte) change;
                assertRefusedOr(plain, packed, packed.length);
                packed[at] ^= (byte) change;
            }
        }
        for (int length = 0; length < packed.length; length++) {
            assertRefusedOr(plain, packed, length);
        }
    }

    /** A bit of a frame has no meaning. */
    private static void assertRefusedOr(Encoded plain, byte[] packed, int length) {
        try {
            assertThat(FORM.unpack(ByteBuffer.wrap(packed, 0, length))).isEqualTo(plain.joined());
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getMessage()).contains("packed value");
        }
    }

    @Test
    void photos_packed_comeBackAndTakeHalf() throws IOException {
        Path folder = DATA.resolve("images/clothing/train/dress");
        assumeTrue(Files.isDirectory(folder), "real pictures are missing: -Dpenstock.data names their folder");
        long plain = 0;
        long packed = 0;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().limit(4).toList()) {
                Encoded pixels = PIXELS.encode(ImageDecoder.jdk().decode(Tensor.ofBytes(Files.readAllBytes(file))));
                Encoded kept = FORM.pack(pixels);

                assertThat(FORM.unpack(kept.joined())).as(file.toString()).isEqualTo(pixels.joined());
                plain += pixels.length();
                packed += kept.length();
            }
        }
        assertThat((double) packed / plain).isLessThan(0.6);
    }
}
