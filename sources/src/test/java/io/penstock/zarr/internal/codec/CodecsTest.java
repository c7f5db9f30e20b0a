package io.penstock.zarr.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import io.penstock.fault.FormatException;
import io.penstock.kit.Hostile;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.HalfFloat;
import io.penstock.zarr.internal.element.MetadataJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4Factory;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CodecsTest {

    private static final byte[] TEXT =
            "the same words, the same words, the same words again and again".getBytes(StandardCharsets.UTF_8);

    /** What {@code printf 'hello hello hello hello hello\n' | bzip2} writes. */
    private static final byte[] BZIP2 = HexFormat.of()
            .parseHex("425a68393141592653593173c77c0000075100001040000244a0"
                    + "0030c00450c952270744a278bb9229c284818b9e3be0");

    private static BytesToBytes codec(String id, String config) {
        return Codecs.bytes(id, MetadataJson.parse(config.getBytes(StandardCharsets.UTF_8)));
    }

    /** A frame of one block in one stream. */
    private static byte[] blosc(int flags, int typeBytes, int length, byte[] stream) {
        ByteBuffer frame = ByteBuffer.allocate(24 + stream.length).order(ByteOrder.LITTLE_ENDIAN);
        frame.put((byte) 2).put((byte) 1).put((byte) flags).put((byte) typeBytes);
        frame.putInt(length).putInt(length).putInt(24 + stream.length);
        return frame.putInt(20).putInt(stream.length).put(stream).array();
    }

    private static byte[] lz4(byte[] bytes) {
        return LZ4Factory.fastestInstance().fastCompressor().compress(bytes);
    }

    private static byte[] encoded(String codec, byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        switch (codec) {
            case "zstd" -> out.writeBytes(Zstd.compress(bytes));
            case "lz4" -> {
                out.writeBytes(ByteBuffer.allocate(4)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(bytes.length)
                        .array());
                out.writeBytes(lz4(bytes));
            }
            case "zlib" -> {
                try (DeflaterOutputStream zlib = new DeflaterOutputStream(out)) {
                    zlib.write(bytes);
                }
            }
            case "gzip" -> {
                try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                    gzip.write(bytes);
                }
            }
            default -> out.writeBytes(blosc(1 << 5 | 16, 1, bytes.length, lz4(bytes)));
        }
        return out.toByteArray();
    }

    @Test
    void decode_zstdStreamWithMoreBehindIt_isRefused() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZstdOutputStream zstd = new ZstdOutputStream(out)) { // which does not say how long it is
            zstd.write(TEXT);
        }
        for (int length = 1; length <= 5; length++) {
            byte[] more = Arrays.copyOf(out.toByteArray(), out.size() + length);

            assertThatThrownBy(() -> codec("zstd", "{}").decode(more, TEXT.length))
                    .as("%d bytes", length)
                    .isInstanceOf(FormatException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "lz4", "zlib", "gzip", "blosc"})
    void decode_whatWasCompressed_isBackAndNeverMoreThanAllowed(String id) throws IOException {
        BytesToBytes codec = codec(id, "{}");
        byte[] bomb = encoded(id, new byte[1 << 20]);

        byte[] back = codec.decode(encoded(id, TEXT), TEXT.length);

        assertThat(back).isEqualTo(TEXT);
        assertThat(codec.decode(bomb, 1 << 20)).hasSize(1 << 20);
        assertThatThrownBy(() -> codec.decode(bomb, 1000))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("inflates to more than the 1000 bytes expected");
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "lz4", "zlib", "gzip", "blosc"})
    void decode_ofBytesBehindTheEnd_isRefused(String id) throws IOException {
        byte[] encoded = encoded(id, TEXT);
        byte[] longer = Arrays.copyOf(encoded, encoded.length + 30);
        Arrays.fill(longer, encoded.length, longer.length, (byte) 'x');

        for (int length = encoded.length + 1; length <= longer.length; length++) {
            byte[] more = Arrays.copyOf(longer, length);
            assertThatThrownBy(() -> codec(id, "{}").decode(more, 2 * TEXT.length))
                    .isInstanceOf(FormatException.class)
                    .hasMessageStartingWith(id + ": ");
        }
    }

    @Test
    void gzipAndZlib_ofTwoStreams_goOnAndAreRefusedWhereThatIsMoreThanTheChunk() throws IOException {
        for (String id : List.of("zlib", "gzip")) {
            byte[] twice = Arrays.copyOf(encoded(id, TEXT), 2 * encoded(id, TEXT).length);
            System.arraycopy(twice, 0, twice, twice.length / 2, twice.length / 2);
            BytesToBytes codec = codec(id, "{}");

            assertThat(codec.decode(twice, 2 * TEXT.length)).hasSize(2 * TEXT.length);
            assertThatThrownBy(() -> codec.decode(twice, TEXT.length))
                    .isInstanceOf(FormatException.class)
                    .hasMessage(id + ": inflates to more than the %d bytes expected".formatted(TEXT.length));
        }
    }

    @Test
    void zstd_streamOfUnknownSize_isInflatedWithinTheLimit() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZstdOutputStream stream = new ZstdOutputStream(out)) {
            stream.write(TEXT);
        }

        byte[] back = codec("zstd", "{}").decode(out.toByteArray(), TEXT.length);

        assertThat(back).isEqualTo(TEXT);
        assertThatThrownBy(() -> codec("zstd", "{}").decode(out.toByteArray(), TEXT.length - 1))
                .hasMessageContaining("inflates to more than");
    }

    @Test
    void bzip2_knownStream_isDecodedTwiceInARowToo() {
        byte[] twice = Arrays.copyOf(BZIP2, 2 * BZIP2.length);
        System.arraycopy(BZIP2, 0, twice, BZIP2.length, BZIP2.length);

        String once = new String(codec("bz2", "{}").decode(BZIP2, 30), StandardCharsets.US_ASCII);

        assertThat(once).isEqualTo("hello hello hello hello hello\n");
        assertThat(codec("bz2", "{}").decode(twice, 60)).hasSize(60);
        assertThatThrownBy(() -> codec("bz2", "{}").decode(BZIP2, 29)).hasMessageContaining("more than the 29 bytes");
    }

    @Test
    void bzip2_anyBitTurned_isRefused() {
        for (int bit = 0; bit < 8 * BZIP2.length - 8; bit++) {
            byte[] damaged = BZIP2.clone();
            damaged[bit / 8] ^= (byte) (0x80 >> bit % 8);
            // the level may say more than is used, and table codes that no symbol has may be others
            if (bit / 8 != 3) {
                assertThatThrownBy(() -> {
                            byte[] came = codec("bz2", "{}").decode(damaged, 30);
                            if (Arrays.equals(came, codec("bz2", "{}").decode(BZIP2, 30))) {
                                throw new FormatException("the same bytes all the same");
                            }
                        })
                        .as("bit %d", bit)
                        .isInstanceOf(FormatException.class);
            }
        }
    }

    @Test
    void blosc_byteShuffled_isPutTogetherAgain() {
        byte[] shuffled = {1, 3, 5, 7, 2, 4, 6, 8, 9};

        byte[] back = codec("blosc", "{}").decode(blosc(1 << 5 | 16 | 1, 2, 9, shuffled), 9);

        assertThat(back).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void blosc_bitShuffled_isPutTogetherAgain() {
        // elements 0x01 0x02 0x04 0x08 0x10 0x20 0x40 0x80: bit b of element e is set where b = e
        byte[] planes = {1, 2, 4, 8, 16, 32, 64, (byte) 128};
        byte[] other = {(byte) 0xFF, 0, 0, 0, 0, 0, 0, 1}; // lowest bits of all, and the highest of the first

        byte[] diagonal = codec("blosc", "{}").decode(blosc(1 << 5 | 16 | 4, 1, 8, planes), 8);
        byte[] lowest = codec("blosc", "{}").decode(blosc(1 << 5 | 16 | 4, 1, 8, other), 8);

        assertThat(diagonal).containsExactly(1, 2, 4, 8, 16, 32, 64, -128);
        assertThat(lowest).containsExactly(-127, 1, 1, 1, 1, 1, 1, 1);
    }

    @Test
    void blosc_ofBloscLz_followsLiteralsAndReferences() {
        // three literals, then 5 bytes from 3 back, then one literal
        byte[] stream = {2, 'a', 'b', 'c', 3 << 5, 2, 0, 'x'};

        byte[] back = codec("blosc", "{}").decode(blosc(16, 1, 9, stream), 9);

        assertThat(new String(back, StandardCharsets.US_ASCII)).isEqualTo("abcabcabx");
    }

    @Test
    void blosc_ofSnappy_followsLiteralsAndReferences() {
        // three literals, 5 bytes from 3 back, 2 from 8 back by a far reference, one literal
        byte[] stream = {11, 2 << 2, 'a', 'b', 'c', 1 << 2 | 1, 3, 1 << 2 | 2, 8, 0, 0, 'x'};

        byte[] back = codec("blosc", "{}").decode(blosc(2 << 5 | 16, 1, 11, stream), 11);

        assertThat(new String(back, StandardCharsets.US_ASCII)).isEqualTo("abcabcababx");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void blosc_referencesOutOfTheFrame_areRefused(int format) {
        byte[] stream = {32, 127, 127};

        assertThatThrownBy(() -> codec("blosc", "{}").decode(blosc(format << 5 | 16, 1, 64, stream), 64))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("blosc: ");
    }

    @Test
    void filters_ofNumcodecs_areUndone() {
        BytesToBytes delta = codec("delta", "{\"dtype\":\"<i2\",\"astype\":\"|i1\"}");
        BytesToBytes scaled =
                codec("fixedscaleoffset", "{\"dtype\":\"<f4\",\"astype\":\"|u1\",\"offset\":1000,\"scale\":10}");
        BytesToBytes bits = codec("packbits", "{}");
        BytesToBytes shuffle = codec("shuffle", "{\"elementsize\":2}");

        assertThat(delta.decode(new byte[] {100, 100, 100, -1}, 8))
                .containsExactly(100, 0, (byte) 200, 0, 44, 1, 43, 1);
        assertThat(ByteBuffer.wrap(scaled.decode(new byte[] {5}, 4))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getFloat())
                .isEqualTo(1000.5f);
        assertThat(bits.decode(new byte[] {5, (byte) 0b1010_0000}, 3)).containsExactly(1, 0, 1);
        assertThat(shuffle.decode(new byte[] {1, 3, 2, 4}, 4)).containsExactly(1, 2, 3, 4);
    }

    @Test
    void checksums_thatDiffer_areRefused() {
        byte[] crc32 = {(byte) 0x26, 0x39, (byte) 0xF4, (byte) 0xCB, '1', '2', '3', '4', '5', '6', '7', '8', '9'};
        byte[] fletcher = {'a', 'b', 'c', 'd', 'e', 0x61, 0x27, 0x00, 0x00};
        BytesToBytes sum = codec("fletcher32", "{}");

        assertThat(codec("crc32", "{}").decode(crc32, 9))
                .asString(StandardCharsets.US_ASCII)
                .isEqualTo("123456789");
        assertThatThrownBy(() -> codec("crc32c", "{\"location\":\"start\"}").decode(crc32, 9))
                .hasMessageContaining("crc32c: bytes are damaged");
        assertThatThrownBy(() -> sum.decode(fletcher, 5)).hasMessageContaining("fletcher32: bytes are damaged");
        assertThatThrownBy(() -> sum.decode(new byte[3], 5)).hasMessageContaining("came 3");
    }

    @Test
    void halfFloats_allOfThem_comeBack() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float value = HalfFloat.fromHalf((short) bits);
            if (!Float.isNaN(value) && value != 0) {
                assertThat(HalfFloat.toHalf(value)).isEqualTo((short) bits);
            }
        }
        assertThat(HalfFloat.toHalf(65520)).isEqualTo((short) 0x7C00);
        assertThat(HalfFloat.toHalf(1 + 1f / 2048)).isEqualTo((short) 0x3C00);
        assertThat(HalfFloat.toHalf(-0f)).isEqualTo((short) 0x8000);
    }

    @Provide
    Arbitrary<byte[]> frames() {
        return Arbitraries.bytes().array(byte[].class).ofMinSize(16).ofMaxSize(200);
    }

    /** Frames whose header is sound more often than chance would have it. */
    @Property(tries = 20_000)
    void blosc_anyBytes_areRefusedOrAtMostTheLimit(@ForAll("frames") byte[] bytes, @ForAll("headers") byte[] header) {
        byte[] frame = bytes.clone();
        System.arraycopy(header, 0, frame, 0, header.length);
        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(12, frame.length);

        boundedOrRefused(codec("blosc", "{}"), frame);
    }

    @Provide
    Arbitrary<byte[]> headers() {
        return Arbitraries.integers().between(0, 255).list().ofSize(4).map(small -> {
            ByteBuffer header = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
            header.put((byte) 2).put((byte) 1).put((byte) (int) small.get(0)).put((byte) (small.get(1) % 20));
            return header.putInt(small.get(2)).putInt(small.get(3)).array();
        });
    }

    private static void boundedOrRefused(BytesToBytes codec, byte[] bytes) {
        try {
            assertThat(codec.decode(bytes, 4096).length).isLessThanOrEqualTo(4096);
        } catch (FormatException e) {
            assertThat(e).isNotNull();
        }
    }

    @Test
    void compression_ofNoBytes_saysSo() {
        byte[] none = {};

        assertThatThrownBy(() -> codec("gzip", "{}").decode(none, 10))
                .hasMessage("gzip: bytes are damaged: they end early, after 0");
        assertThatThrownBy(() -> codec("zstd", "{}").decode(none, 10))
                .hasMessage("zstd: bytes are damaged: there are none");
    }

    @Test
    void bzip2_manyStreamsOfNothing_takeLittleMemory() {
        byte[] nothing = HexFormat.of().parseHex("425a683917724538509000000000");
        byte[] many = new byte[10_000 * nothing.length];
        for (int i = 0; i < many.length; i++) {
            many[i] = nothing[i % nothing.length];
        }

        Hostile.bytes(() -> assertThat(codec("bz2", "{}").decode(many, 10)).isEmpty());
    }
}
