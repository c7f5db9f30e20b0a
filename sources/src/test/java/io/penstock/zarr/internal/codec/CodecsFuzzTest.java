package io.penstock.zarr.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.github.luben.zstd.Zstd;
import io.penstock.kit.Hostile;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.ChunkTensor;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.MetadataJson;
import io.penstock.zarr.internal.element.NumberType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.params.provider.MethodSource;

/** Compressed chunks that no compressor made. The first byte chooses the codec. */
class CodecsFuzzTest {

    private static final int MAX = 4096;

    /** Three greetings and twenty letters, as bzip2 writes them. */
    private static final String BZIP2 =
            "425a6831314159265359b5fb875f00000b3100400040002244a000310c008a0d17c34e41a4d83c0f8b"
                    + "b9229c28485afdc3af80";

    private static final NumberType I16 = new NumberType(DType.I16, false);
    private static final NumberType F32 = new NumberType(DType.F32, true);
    private static final NumberType F16 = new NumberType(DType.F16, false);

    private static final List<BytesToBytes> CODECS = List.of(
            codec("zstd", "{}"),
            codec("lz4", "{}"),
            codec("zlib", "{}"),
            codec("gzip", "{}"),
            codec("bz2", "{}"),
            codec("lzma", "{}"),
            Shuffle.of(4),
            Shuffle.of(7),
            codec("packbits", "{}"),
            Checksums.of("crc32c", false),
            Checksums.of("fletcher32", true),
            codec("bitround", "{}"),
            NumberFilter.delta(I16, F32).ofBytes(),
            NumberFilter.delta(F16, F16).ofBytes(),
            NumberFilter.scaled(F32, I16, 3, 0).ofBytes(),
            NumberFilter.cast("astype", F16, I16).ofBytes());

    private static final List<ArrayToBytes> SERIAL =
            List.of(new Texts("vlen-utf8"), new Texts("json2"), new PlainBytes(true));

    private static BytesToBytes codec(String id, String config) {
        return Codecs.bytes(id, MetadataJson.parse(config.getBytes(StandardCharsets.UTF_8)));
    }

    @MethodSource("encoded")
    @FuzzTest(maxDuration = "10m")
    void codec_ofAnyBytes_decodesWithinItsLimitOrRefuses(byte[] input) {
        if (input.length == 0) {
            return;
        }
        int choice = (input[0] & 0xFF) % (CODECS.size() + SERIAL.size());
        byte[] encoded = Arrays.copyOfRange(input, 1, input.length);
        Hostile.bytes(() -> {
            if (choice < CODECS.size()) {
                assertThat(CODECS.get(choice).decode(encoded, MAX)).hasSizeLessThanOrEqualTo(MAX);
            } else {
                texts(SERIAL.get(choice - CODECS.size()), encoded);
            }
        });
    }

    private static void texts(ArrayToBytes serial, byte[] encoded) {
        ElementType type = serial instanceof PlainBytes
                ? new ElementType("<i4", ElementType.Kind.NUMBER, DType.I32, 1, true)
                : new ElementType("|O", ElementType.Kind.TEXT, DType.U8, 0, false);
        Shape shape = Shape.of(2, 3);
        byte[] elements = serial.decode(encoded, shape, type, MAX);
        ChunkTensor.require(ChunkTensor.of(elements, shape, type), shape, type);
    }

    @MethodSource("frames")
    @FuzzTest(maxDuration = "10m")
    void blosc_ofAnyBytes_decodesWithinItsLimitOrRefuses(byte[] frame) {
        Hostile.bytes(() -> assertThat(codec("blosc", "{}").decode(frame, MAX)).hasSizeLessThanOrEqualTo(MAX));
    }

    static Stream<byte[]> encoded() throws IOException {
        byte[] plain = plain(600);
        byte[] lz4 = LZ4Factory.fastestInstance().fastCompressor().compress(plain);
        byte[] lengthFirst = ByteBuffer.allocate(4 + lz4.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(plain.length)
                .put(lz4)
                .array();
        byte[] summed = ByteBuffer.allocate(8).putInt(0).putInt(0xC74B6748).array();
        byte[] texts = {
            6, 0, 0, 0, 1, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 'b', 'c'
        };
        byte[] json = "[\"a\",null,{\"b\":[1]},2.5,\"\\u00e9\",\"\",\"|O\",[2,3]]".getBytes(StandardCharsets.UTF_8);
        return Stream.of(
                chosen(0, Zstd.compress(plain)),
                chosen(0, streamed(out -> new com.github.luben.zstd.ZstdOutputStream(out), plain)),
                chosen(1, lengthFirst),
                chosen(2, streamed(DeflaterOutputStream::new, plain)),
                chosen(3, streamed(GZIPOutputStream::new, plain)),
                chosen(4, HexFormat.of().parseHex(BZIP2)),
                chosen(6, plain),
                chosen(8, new byte[] {3, 0x55, 0x40}),
                chosen(9, summed),
                chosen(12, plain),
                chosen(CODECS.size(), texts),
                chosen(CODECS.size() + 1, json),
                chosen(CODECS.size() + 2, new byte[24]));
    }

    static Stream<byte[]> frames() {
        byte[] plain = plain(512);
        byte[] lz4 = LZ4Factory.fastestInstance().fastCompressor().compress(plain);
        byte[] zstd = Zstd.compress(plain);
        byte[] blosclz = {0x03, 1, 2, 3, 4, (byte) 0xE0, (byte) 255, (byte) 238, 3};
        byte[] snappy = {(byte) 0x80, 0x04, 0x0C, 1, 2, 3, 4, (byte) 0xFE, 4, 0};
        return IntStream.of(0x00, 0x01, 0x04, 0x11, 0x14)
                .boxed()
                .flatMap(filter -> Stream.of(
                        frame(filter | 1 << 5, 4, plain.length, lz4),
                        frame(filter | 4 << 5, 4, plain.length, zstd),
                        frame(filter, 4, plain.length, blosclz),
                        frame(filter | 2 << 5, 2, plain.length, snappy),
                        frame(filter | 2, 4, plain.length, plain)));
    }

    /** One block in one stream. */
    private static byte[] frame(int flags, int typeBytes, int length, byte[] stream) {
        boolean plain = (flags & 2) != 0;
        ByteBuffer frame =
                ByteBuffer.allocate(16 + (plain ? 0 : 8) + stream.length).order(ByteOrder.LITTLE_ENDIAN);
        frame.put((byte) 2).put((byte) 1).put((byte) flags).put((byte) typeBytes);
        frame.putInt(length).putInt(length).putInt(frame.capacity());
        if (!plain) {
            frame.putInt(20).putInt(stream.length);
        }
        return frame.put(stream).array();
    }

    private static byte[] plain(int length) {
        byte[] plain = new byte[length];
        for (int i = 0; i < length; i++) {
            plain[i] = (byte) (i * i / 7);
        }
        return plain;
    }

    private static byte[] chosen(int codec, byte[] encoded) {
        byte[] input = new byte[1 + encoded.length];
        input[0] = (byte) codec;
        System.arraycopy(encoded, 0, input, 1, encoded.length);
        return input;
    }

    @FunctionalInterface
    private interface Compressing {
        OutputStream over(OutputStream out) throws IOException;
    }

    private static byte[] streamed(Compressing compressing, byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = compressing.over(bytes)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }
}
