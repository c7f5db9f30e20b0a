package io.penstock.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Law 6: {@code unflatten(flatten(v))} equals v, and no byte is believed before it is checked. */
class SchemaTest {

    record Photo(Tensor pixels, int label) {}

    record Everything(Tensor t, int i, long l, float f, double d, boolean b, String s) {}

    private record Hidden(int value) {}

    record Late(Instant taken) {}

    record Nothing() {}

    record Positive(int value) {
        Positive {
            if (value <= 0) {
                throw new IllegalStateException("not positive: " + value);
            }
        }
    }

    @Test
    void recordSchema_everyComponentType_comesBack() {
        Schema<Everything> schema = Schema.of(Everything.class);
        Everything value =
                new Everything(Tensor.ofBytes(new byte[] {1, 2, 3}), -7, Long.MIN_VALUE, 1.5f, Math.PI, true, "grün");

        assertThat(schema.unflatten(schema.flatten(value))).isEqualTo(value);
        assertThat(schema.decode(schema.encode(value).joined())).isEqualTo(value);
        assertThat(schema.names()).containsExactly("t", "i", "l", "f", "d", "b", "s");
    }

    @Test
    void recordSchema_privateRecord_comesBack() {
        Schema<Hidden> schema = Schema.of(Hidden.class);

        assertThat(schema.decode(schema.encode(new Hidden(5)).joined())).isEqualTo(new Hidden(5));
    }

    @Test
    void recordSchema_unknownType_namesItAndTheWayOut() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Schema.of(Late.class))
                .withMessage("Schema cannot lay out Late.taken of type java.time.Instant; "
                        + "use Tensor, int, long, float, double, boolean, String "
                        + "or an array of byte, short, int, long, float or double");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Schema.of(Nothing.class))
                .withMessage("Schema cannot lay out Nothing: it has no components");
    }

    @Test
    void recordSchema_recordRefusesValue_itsOwnExceptionArrives() {
        Schema<Positive> schema = Schema.of(Positive.class);

        assertThatThrownBy(() -> schema.unflatten(List.of(Tensor.scalar(0)))).hasMessage("not positive: 0");
    }

    @Test
    void id_differsByNamesAndTypes() {
        assertThat(Schema.of(Photo.class).id())
                .isNotEqualTo(Schema.of(Hidden.class).id());
        assertThat(Schema.tensor("a").id()).isNotEqualTo(Schema.tensor("b").id());
    }

    @Test
    void encode_kilobyteRecord_costsFiveBytesMore() {
        Tensor record = Tensor.ofBytes(new byte[1024]);

        assertThat(Schema.tensor("bytes").encode(record).length()).isEqualTo(1024 + 6);
    }

    @Property(tries = 300)
    void encodeDecode_anyTensors_comeBack(@ForAll("tensors") List<Tensor> tensors) {
        ByteBuffer bytes = TensorFormat.encode(tensors).joined();
        ByteBuffer elsewhere = ByteBuffer.allocateDirect(bytes.remaining() + 13).position(7);
        elsewhere.put(bytes.duplicate()).flip().position(7);

        assertThat(TensorFormat.decode(bytes, tensors.size())).isEqualTo(tensors);
        assertThat(TensorFormat.decode(elsewhere, tensors.size())).isEqualTo(tensors);
    }

    @Provide
    Arbitrary<List<Tensor>> tensors() {
        Arbitrary<long[]> dims =
                Arbitraries.longs().between(0, 5).array(long[].class).ofMaxSize(4);
        Arbitrary<Tensor> tensor = Combinators.combine(Arbitraries.of(DType.values()), dims, Arbitraries.longs())
                .as((dtype, shape, seed) -> {
                    byte[] data = new byte[(int) Shape.of(shape).elements() * dtype.bytes()];
                    new Random(seed).nextBytes(data);
                    return Tensor.of(dtype, Shape.of(shape), ByteBuffer.wrap(data));
                });
        return tensor.list().ofMinSize(1).ofMaxSize(4);
    }

    @Test
    void decode_shapesThatAlternate_areNotConfused() {
        Schema<Photo> schema = Schema.of(Photo.class);
        List<Photo> photos = List.of(
                new Photo(Tensor.ofBytes(new byte[] {1, 2, 3, 4, 5, 6}, 2, 3), 1),
                new Photo(Tensor.ofBytes(new byte[] {6, 5, 4, 3, 2, 1}, 3, 2), 2),
                new Photo(Tensor.ofBytes(new byte[] {7, 7, 7, 7, 7, 7}, 6), 3),
                new Photo(Tensor.ofBytes(new byte[] {9, 8, 7}), 4));
        ByteBuffer[] encoded =
                photos.stream().map(photo -> schema.encode(photo).joined()).toArray(ByteBuffer[]::new);

        for (int round = 0; round < 3; round++) {
            for (int i : new int[] {0, 0, 1, 1, 2, 3, 3, 0, 2, 1, 3}) {
                assertThat(schema.decode(encoded[i])).isEqualTo(photos.get(i));
            }
        }
    }

    @Test
    void decode_knownHeaderOverOtherLength_isRefused() {
        Schema<Tensor> schema = Schema.tensor("bytes");
        ByteBuffer good = schema.encode(Tensor.ofBytes(new byte[] {1, 2, 3, 4})).joined();
        schema.decode(good);
        ByteBuffer longer =
                ByteBuffer.allocate(good.remaining() + 1).put(good.duplicate()).rewind();
        ByteBuffer shorter = good.duplicate().limit(good.limit() - 1);

        assertThatIllegalArgumentException().isThrownBy(() -> schema.decode(longer));
        assertThatIllegalArgumentException().isThrownBy(() -> schema.decode(shorter));
    }

    @Test
    void decode_partOfABuffer_viewsThatPart() {
        Schema<Tensor> schema = Schema.tensor("numbers");
        Tensor value = Tensor.ofInts(new int[] {1, -2, 3});
        ByteBuffer encoded = schema.encode(value).joined();
        ByteBuffer around =
                ByteBuffer.allocate(encoded.remaining() + 10).position(5).put(encoded.duplicate());
        ByteBuffer part = around.position(5).limit(5 + encoded.remaining());

        for (int i = 0; i < 2; i++) { // parsed, then known
            Tensor decoded = schema.decode(part);
            assertThat(decoded).isEqualTo(value);
            assertThat(decoded.longAt(1)).isEqualTo(-2);
            assertThat(decoded.row(2).longAt(0)).isEqualTo(3);
            assertThat(decoded.data().getInt(4)).isEqualTo(-2);
            assertThatThrownBy(() -> decoded.longAt(3)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void decode_damagedBytes_neverReadsPastThem() {
        Random random = new Random(1);
        List<Tensor> tensors = List.of(Tensor.ofInts(new int[] {1, 2, 3, 4}, 2, 2), Tensor.utf8("label"));
        byte[] good = TensorFormat.encode(tensors).joined().array();
        int refused = 0;

        for (int round = 0; round < 20_000; round++) {
            byte[] bad = java.util.Arrays.copyOf(good, random.nextInt(good.length + 8));
            for (int flips = random.nextInt(3); flips >= 0 && bad.length > 0; flips--) {
                bad[random.nextInt(Math.min(bad.length, 16))] = (byte) random.nextInt();
            }
            try {
                TensorFormat.decode(ByteBuffer.wrap(bad), 2); // whatever it says must fit into what is there
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }

        assertThat(refused).isGreaterThan(10_000);
    }

    @Test
    void decode_claimOfHugeTensor_isRefusedWithoutAllocating() {
        // u8, one axis of 2^62
        byte[] claim = {1, 1, 1, 1, -128, -128, -128, -128, -128, -128, -128, -128, 64};

        assertThatThrownBy(() -> TensorFormat.decode(ByteBuffer.wrap(claim), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("u8[4611686018427387904] is larger than the 0 bytes that are there");
    }

    @Test
    void decode_numberThatIsNone_isRefused() {
        Schema<Photo> schema = Schema.of(Photo.class);
        ByteBuffer none = TensorFormat.encode(List.of(Tensor.utf8("x"), Tensor.ofInts(new int[0], 0)))
                .joined();
        ByteBuffer two = TensorFormat.encode(List.of(Tensor.utf8("x"), Tensor.ofInts(new int[2], 2)))
                .joined();

        assertThatThrownBy(() -> schema.decode(none))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Photo.label: a component of type int must be one number, was i32[0]");
        assertThatThrownBy(() -> schema.decode(two))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Photo.label: a component of type int must be one number, was i32[2]");
    }
}
