package io.penstock.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class EncodedTest {

    private static final Schema<Tensor> SCHEMA = Schema.tensor("bytes");

    private static byte[] counting(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }

    @Property
    void copyTo_anyRangeOfAnyPieces_copiesThatRange(
            @ForAll @IntRange(max = 20) int first,
            @ForAll @IntRange(max = 20) int second,
            @ForAll @IntRange(max = 20) int third,
            @ForAll @IntRange(max = 60) int start,
            @ForAll @IntRange(max = 60) int end) {
        byte[] all = counting(first + second + third);
        Encoded value = Encoded.of(
                List.of(
                        ByteBuffer.wrap(all, 0, first).slice(),
                        ByteBuffer.wrap(all, first, second).slice(),
                        ByteBuffer.wrap(all, first + second, third).slice()),
                all.length,
                true);
        int from = Math.min(Math.min(start, end), all.length);
        int count = Math.min(Math.max(start, end), all.length) - from;
        ByteBuffer target = ByteBuffer.allocate(3 + count + 2);

        value.copyTo(from, target, 3, count);

        byte[] expected = new byte[3 + count + 2];
        System.arraycopy(all, from, expected, 3, count);
        assertThat(target).isEqualTo(ByteBuffer.wrap(expected));
        assertThat(bytes(value.joined())).isEqualTo(all);
    }

    @Test
    void copyTo_outOfRange_isRefused() {
        Encoded value = Encoded.of(ByteBuffer.allocate(4));

        assertThatThrownBy(() -> value.copyTo(1, ByteBuffer.allocate(8), 0, 4))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void of_bufferWhosePositionMovesLater_keepsTheBytesThatRemained() {
        ByteBuffer buffer = ByteBuffer.wrap(counting(6)).position(2);

        Encoded value = Encoded.of(buffer);
        buffer.clear();

        assertThat(value.length()).isEqualTo(4);
        assertThat(bytes(value.joined())).containsExactly(2, 3, 4, 5);
    }

    @Test
    void encode_largeTensor_sharesItsBytes() {
        byte[] elements = counting(100_000);
        Encoded value = SCHEMA.encode(Tensor.ofBytes(elements));

        elements[50_000] = 77; // which nobody may do, and shows where the bytes are

        ByteBuffer copy = ByteBuffer.allocate(value.length());
        value.compact().copyTo(copy, 0);
        assertThat(SCHEMA.decode(copy).longAt(50_000)).isEqualTo(77);
    }

    @Test
    void compact_rowOfSomethingLarge_isCopiedOutOfIt() {
        byte[] elements = counting(100_000);
        Encoded row = SCHEMA.encode(Tensor.ofBytes(elements, 4, 25_000).row(2));

        Encoded kept = row.compact();
        elements[2 * 25_000] = 77;

        assertThat(SCHEMA.decode(kept.joined()).longAt(0)).isEqualTo((byte) (2 * 25_000) & 0xFF);
        assertThat(SCHEMA.decode(row.joined()).longAt(0)).isEqualTo(77);
    }

    @Test
    void joined_givesEachCallerPositionsOfItsOwn() {
        Encoded value = Encoded.of(ByteBuffer.wrap(counting(4)));

        value.joined().position(3);

        assertThat(value.joined().remaining()).isEqualTo(4);
    }
}
