package io.penstock.zarr.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToArray;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToBytes;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.ChunkTensor;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.FillValue;
import io.penstock.zarr.internal.element.MetadataJson;
import io.penstock.zarr.internal.element.NumberType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4Factory;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** The laws of a codec, over every codec, each at its place in a chain. */
@SuppressWarnings("ByteBufferBackingArray") // of buffers that were allocated here
class ZarrCodecKitTest {

    private static final int MAX = 1 << 20;
    private static final Shape SHAPE = Shape.of(4, 6);
    private static final ElementType I16 = number("<i2", DType.I16);
    private static final ElementType TEXT = new ElementType("|O", ElementType.Kind.TEXT, DType.U8, 0, false);
    private static final NumberType SHORT = new NumberType(DType.I16, false);
    private static final NumberType INT = new NumberType(DType.I32, false);

    /** Small numbers, of which a lossy filter loses nothing. */
    private static final byte[] NUMBERS = littleShorts(i -> i * i % 100);

    /**
     * A codec and a chunk that another program could have written with it.
     *
     * @param decoded the chunk as {@link ChunkTensor} has it
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Case(ZarrCodec codec, CodecChain chain, ElementType type, byte[] decoded, byte[] encoded) {
        @Override
        public String toString() {
            return codec.name();
        }

        byte[] decode(byte[] bytes, Shape shape) {
            return ChunkTensor.of(chain.decode(bytes, shape, type, MAX), shape, type)
                    .toByteArray();
        }
    }

    private static final Set<String> SUMS = Set.of("crc32", "crc32c", "adler32", "fletcher32");

    static final List<Case> CASES = Stream.of(
                    of(codec("zstd"), Zstd.compress(NUMBERS)),
                    of(
                            codec("lz4"),
                            little(4 + lz4().length).putInt(NUMBERS.length).put(lz4())),
                    of(codec("zlib"), written(DeflaterOutputStream::new)),
                    of(codec("gzip"), written(GZIPOutputStream::new)),
                    of(codec("blosc"), blosc()),
                    of(codec("bz2"), written(BZip2CompressorOutputStream::new)),
                    of(codec("lzma"), written(out -> new XZOutputStream(out, new LZMA2Options()))),
                    of(Checksums.of("crc32", true), summed(new CRC32(), true)),
                    of(Checksums.of("crc32c", false), summed(new CRC32C(), false)),
                    of(Checksums.of("adler32", false), summed(new Adler32(), false)),
                    of(Checksums.of("fletcher32", false), fletcher32()),
                    of(Shuffle.of(2), shuffled()),
                    of(codec("bitround"), NUMBERS),
                    of(
                            NumberFilter.delta(SHORT, SHORT).ofBytes(),
                            littleShorts(i -> i == 0 ? 0 : i * i % 100 - (i - 1) * (i - 1) % 100)),
                    of(NumberFilter.scaled(SHORT, SHORT, 3, 2).ofBytes(), littleShorts(i -> (i * i % 100 - 3) * 2)),
                    of(NumberFilter.cast("astype", SHORT, INT).ofBytes(), littleInts()),
                    packedBits(),
                    serial(new PlainBytes(true), I16, NUMBERS, swapped()),
                    serial(new Texts("vlen-utf8"), TEXT, texts(), variableTexts()),
                    serial(new Texts("json2"), TEXT, texts(), jsonTexts()),
                    serial(sharding(), I16, NUMBERS, shard()),
                    array(new Transpose(new int[] {1, 0}), I16, transposed()),
                    array(NumberFilter.cast("astype", SHORT, INT), I16, littleInts()))
            .toList();

    private static BytesToBytes codec(String id) {
        return Codecs.bytes(id, MetadataJson.parse("{}".getBytes(StandardCharsets.UTF_8)));
    }

    static final List<Case> COMPRESSED = CASES.stream()
            .filter(one -> Set.of("zstd", "lz4", "zlib", "gzip", "blosc", "bz2", "lzma")
                    .contains(one.codec().name()))
            .toList();

    @ParameterizedTest
    @FieldSource("COMPRESSED")
    void decode_withMoreBehindTheStream_isRefused(Case one) {
        for (int length : new int[] {1, 2, 3, 4, 5, 100}) {
            byte[] more = Arrays.copyOf(one.encoded(), one.encoded().length + length);
            Arrays.fill(more, one.encoded().length, more.length, (byte) 'z');

            assertThatThrownBy(() -> one.decode(more, SHAPE))
                    .as("%s and %d bytes", one, length)
                    .isInstanceOf(FormatException.class);
        }
    }

    @Test
    void cases_haveEveryCodec() {
        Set<Object> missing = new HashSet<>(List.of("zstd", "lz4", "zlib", "gzip", "blosc", "bz2", "lzma", "shuffle"));
        missing.addAll(List.of("packbits", "bitround", "crc32", "crc32c", "adler32", "fletcher32"));
        missing.addAll(List.of("delta", "fixedscaleoffset", "astype", "vlen-utf8", "json2"));
        addClasses(ZarrCodec.class, missing);

        for (Case one : CASES) {
            missing.remove(one.codec.name());
            missing.remove(one.codec.getClass());
        }

        assertThat(missing).isEmpty();
    }

    private static void addClasses(Class<?> type, Set<Object> classes) {
        if (!type.isInterface()) {
            classes.add(type);
            return;
        }
        for (Class<?> permitted : type.getPermittedSubclasses()) {
            addClasses(permitted, classes);
        }
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void decode_whatWasEncoded_isItEachTime(Case one) {
        byte[] before = one.encoded.clone();

        assertThat(one.decode(one.encoded, SHAPE)).isEqualTo(one.decoded);
        assertThat(one.decode(one.encoded, SHAPE)).isEqualTo(one.decoded);
        assertThat(one.encoded).isEqualTo(before);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void encodedBytes_areAtLeastThoseOfTheChunk(Case one) {
        int max = one.chain.encodedBytes(SHAPE, one.type, MAX);

        assertThat(one.encoded).hasSizeLessThanOrEqualTo(max);
        if (one.codec instanceof BytesToBytes bytes && bytes.isExact()) {
            assertThat(one.encoded).hasSize(max);
        }
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void decode_moreThanTheChunkHas_isRefused(Case one) {
        Shape smaller = Shape.of(2, 2);

        assertThatThrownBy(() -> one.decode(one.encoded, smaller)).isInstanceOf(FormatException.class);
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void decode_cutOff_isRefusedOrStillWhole(Case one) {
        for (int length = 0; length < one.encoded.length; length++) {
            byte[] cut = Arrays.copyOf(one.encoded, length);
            assertRefusedOr(one, cut, one.codec instanceof BytesToBytes bytes && !bytes.isExact());
        }
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void decode_anyByteChanged_isRefusedOrAChunk(Case one) {
        for (int at = 0; at < one.encoded.length; at++) {
            for (int change : new int[] {1, 0x80, 0xFF}) {
                byte[] damaged = one.encoded.clone();
                damaged[at] ^= (byte) change;
                assertRefusedOr(one, damaged, !SUMS.contains(one.codec.name()));
            }
        }
    }

    /** @param mayPass whether the codec need not notice; what it gives is then of the chunk's type and shape */
    private static void assertRefusedOr(Case one, byte[] encoded, boolean mayPass) {
        try {
            byte[] cells = one.chain.decode(encoded, SHAPE, one.type, MAX);
            ChunkTensor.require(ChunkTensor.of(cells, SHAPE, one.type), SHAPE, one.type);
            assertThat(mayPass)
                    .as("%s passes %s", one, Arrays.toString(encoded))
                    .isTrue();
        } catch (FormatException e) {
            assertThat(e.getMessage()).doesNotEndWith("null");
        }
    }

    private static ElementType number(String name, DType dtype) {
        return new ElementType(name, ElementType.Kind.NUMBER, dtype, 1, false);
    }

    private static Case of(BytesToBytes codec, byte[] encoded) {
        return new Case(codec, new CodecChain(List.of(), new PlainBytes(false), List.of(codec)), I16, NUMBERS, encoded);
    }

    private static Case of(BytesToBytes codec, ByteBuffer encoded) {
        return of(codec, encoded.array());
    }

    private static Case serial(ArrayToBytes codec, ElementType type, byte[] decoded, byte[] encoded) {
        return new Case(codec, new CodecChain(List.of(), codec, List.of()), type, decoded, encoded);
    }

    private static Case array(ArrayToArray codec, ElementType type, byte[] encoded) {
        return new Case(
                codec, new CodecChain(List.of(codec), new PlainBytes(false), List.of()), type, NUMBERS, encoded);
    }

    private interface Numbers {
        int at(int index);
    }

    private interface Writer {
        OutputStream over(OutputStream out) throws IOException;
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] littleShorts(Numbers numbers) {
        ByteBuffer shorts = little(2 * 24);
        for (int i = 0; i < 24; i++) {
            shorts.putShort((short) numbers.at(i));
        }
        return shorts.array();
    }

    private static byte[] littleInts() {
        ByteBuffer ints = little(4 * 24);
        for (int i = 0; i < 24; i++) {
            ints.putInt(i * i % 100);
        }
        return ints.array();
    }

    private static byte[] lz4() {
        return LZ4Factory.fastestInstance().fastCompressor().compress(NUMBERS);
    }

    /** One block in one stream of LZ4. */
    private static ByteBuffer blosc() {
        int bytes = 24 + lz4().length;
        ByteBuffer frame = little(bytes).put(new byte[] {2, 1, 1 << 5 | 16, 1});
        return frame.putInt(NUMBERS.length)
                .putInt(NUMBERS.length)
                .putInt(bytes)
                .putInt(20)
                .putInt(lz4().length)
                .put(lz4());
    }

    private static byte[] written(Writer writer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = writer.over(bytes)) {
            out.write(NUMBERS);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }

    private static ByteBuffer summed(java.util.zip.Checksum sum, boolean atStart) {
        sum.update(NUMBERS);
        ByteBuffer bytes = little(NUMBERS.length + 4);
        return atStart
                ? bytes.putInt((int) sum.getValue()).put(NUMBERS)
                : bytes.put(NUMBERS).putInt((int) sum.getValue());
    }

    /** The sums modulo 65535 of big-endian words of 16 bits, and of the sums before. */
    private static ByteBuffer fletcher32() {
        long one = 0;
        long two = 0;
        ByteBuffer words = ByteBuffer.wrap(NUMBERS);
        while (words.hasRemaining()) {
            one = (one + (words.getShort() & 0xFFFF)) % 65535;
            two = (two + one) % 65535;
        }
        return little(NUMBERS.length + 4).put(NUMBERS).putInt((int) (two << 16 | one));
    }

    private static byte[] shuffled() {
        byte[] shuffled = new byte[NUMBERS.length];
        for (int i = 0; i < NUMBERS.length; i++) {
            shuffled[i % 2 * NUMBERS.length / 2 + i / 2] = NUMBERS[i];
        }
        return shuffled;
    }

    private static byte[] swapped() {
        byte[] swapped = new byte[NUMBERS.length];
        for (int i = 0; i < NUMBERS.length; i++) {
            swapped[i ^ 1] = NUMBERS[i];
        }
        return swapped;
    }

    private static byte[] transposed() {
        return littleShorts(i -> (i % 4 * 6 + i / 4) * (i % 4 * 6 + i / 4) % 100);
    }

    private static Case packedBits() {
        BytesToBytes codec = codec("packbits");
        byte[] bits = new byte[24];
        bits[0] = 1;
        bits[7] = 1;
        bits[9] = 1;
        CodecChain chain = new CodecChain(List.of(), new PlainBytes(false), List.of(codec));
        return new Case(codec, chain, number("|b1", DType.BOOL), bits, new byte[] {0, (byte) 0x81, 0x40, 0});
    }

    private static byte[] texts() {
        ByteBuffer texts = little(4 * 25 + 24);
        for (int i = 0; i <= 24; i++) {
            texts.putInt(i);
        }
        return texts.put("x".repeat(24).getBytes(StandardCharsets.UTF_8)).array();
    }

    private static byte[] variableTexts() {
        ByteBuffer texts = little(4 + 5 * 24).putInt(24);
        for (int i = 0; i < 24; i++) {
            texts.putInt(1).put((byte) 'x');
        }
        return texts.array();
    }

    private static byte[] jsonTexts() {
        return ("[" + "\"x\",".repeat(24) + "\"|O\",[4,6]]").getBytes(StandardCharsets.UTF_8);
    }

    private static ShardingCodec sharding() {
        CodecChain plain = new CodecChain(List.of(), new PlainBytes(false), List.of());
        CodecChain index = new CodecChain(List.of(), new PlainBytes(false), List.of(Checksums.of("crc32c", false)));
        return new ShardingCodec(Shape.of(2, 6), plain, index, false, new FillValue(new byte[2]));
    }

    /** Two inner chunks, then the index with its checksum. */
    private static byte[] shard() {
        byte[] index = little(32).putLong(0).putLong(24).putLong(24).putLong(24).array();
        CRC32C sum = new CRC32C();
        sum.update(index);
        return little(NUMBERS.length + 36)
                .put(NUMBERS)
                .put(index)
                .putInt((int) sum.getValue())
                .array();
    }
}
