package io.penstock.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.kit.CountingStore;
import io.penstock.kit.Hostile;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

/** Counts, lengths and shapes that a few bytes of Zarr claim: memory is taken within the limit that was set. */
@SuppressWarnings("ByteBufferBackingArray") // of buffers that were allocated here
class ZarrClaimsTest {

    private static final String ZLIB = "{\"id\":\"zlib\"}";
    private static final String TEXTS = "[{\"id\":\"vlen-utf8\"}]";

    private final CountingStore store = new CountingStore();

    private ZarrArray array(String shape, String chunks, String dtype, String filters, String compressor) {
        store.put(
                ".zarray",
                ("{\"zarr_format\":2,\"shape\":%s,\"chunks\":%s,\"dtype\":\"%s\",\"filters\":%s,\"compressor\":%s,"
                                + "\"order\":\"C\",\"fill_value\":0}")
                        .formatted(shape, chunks, dtype, filters, compressor));
        return Objects.requireNonNull(ZarrArray.open(store, "").block());
    }

    private static byte[] zlib(byte[] plain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream zlib = new DeflaterOutputStream(out)) {
            zlib.write(plain);
        }
        return out.toByteArray();
    }

    private static byte[] texts(int count, int length) {
        return ByteBuffer.allocate(length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(count)
                .array();
    }

    @Test
    void texts_millionsWithoutAByte_takeNoMoreThanTheirOffsets() throws IOException {
        int count = 10_000_000;
        ZarrArray array = array("[%d]".formatted(count), "[%d]".formatted(count), "|O", TEXTS, ZLIB)
                .maxChunkBytes(64 << 20);
        store.put("0", zlib(texts(count, 4 + 4 * count)));

        Hostile.bytes(() -> assertThat(
                        Objects.requireNonNull(array.chunks().get(0).block()).byteSize())
                .isEqualTo(4 * (count + 1)));
    }

    @Test
    void texts_lengthsThatLeadOut_areRefused() throws IOException {
        ZarrArray array = array("[3]", "[3]", "|O", TEXTS, "null");
        for (byte[] chunk : new byte[][] {
            texts(3, 16 + 1), // a byte behind the last
            texts(3, 15),
            texts(2, 16),
            texts(1 << 30, 16),
            ByteBuffer.wrap(texts(3, 16))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(4, 8)
                    .array(),
            ByteBuffer.wrap(texts(3, 16))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(4, 1 << 30)
                    .array(),
            ByteBuffer.wrap(texts(3, 16))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(12, -1)
                    .array()
        }) {
            store.put("0", chunk);

            Hostile.bytes(() -> assertThatThrownBy(() -> array.read().block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("vlen-utf8: "));
        }
    }

    @Test
    void texts_ofCodesThatAreNoCharacters_areRefused() {
        for (int code : new int[] {0xD800, 0xDFFF, 0x110000, -1}) {
            ZarrArray array = array("[2]", "[2]", "<U2", "null", "null");
            ByteBuffer chunk = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
            store.put("0", chunk.putInt(0, 'a').putInt(8, 'b').putInt(12, code).array());

            assertThatThrownBy(() -> array.read().block())
                    .isInstanceOf(FormatException.class)
                    .hasMessage("element 1 of the <U2[2] at [0] is no text: it has the code %08X, which is no character"
                            .formatted(code));
        }
        ZarrArray array = array("[2]", "[2]", "<U2", "null", "null");
        store.put(
                "0",
                ByteBuffer.allocate(16)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(0, 0x1F600)
                        .array());
        assertThat(array.read().block()).isEqualTo(Tensor.utf8("\uD83D\uDE00\n\n"));
    }

    @Test
    void texts_ofBytesThatAreNoUtf8_areGivenAsBytesAndRefusedAsTexts() {
        ZarrArray array = array("[1]", "[1]", "|S2", "null", "null");
        store.put("0", new byte[] {'a', (byte) 0xE9});

        assertThat(array.read().block()).isEqualTo(Tensor.ofBytes(new byte[] {'a', (byte) 0xE9, '\n'}));
        assertThatThrownBy(() -> array.texts(new long[1], new long[] {1}).block())
                .isInstanceOf(FormatException.class)
                .hasMessage("element 0 of the |S2[1] at [0] is not UTF-8");
    }

    @Test
    void row_ofMoreThanTheHeapHolds_isRefusedBeforeItIsFilled() {
        ZarrArray wide = array("[4,%d]".formatted(1L << 40), "[1,1000]", "|u1", "null", "null");

        Hostile.argument(() -> assertThatThrownBy(() -> wide.rows().get(0).block())
                .hasMessageStartingWith("a region must have at most "));
    }

    @Test
    void shard_thatInflatesToMoreThanTheLimit_isRefused() throws IOException {
        store.put("zarr.json", """
                {"zarr_format":3,"node_type":"array","shape":[4096],"data_type":"uint8",
                 "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4096]}},
                 "chunk_key_encoding":{"name":"default"},"fill_value":0,
                 "codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],
                   "codecs":[{"name":"bytes"},{"name":"numcodecs.zlib"}],
                   "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}},
                  {"name":"numcodecs.zlib"}]}""");
        store.put("c/0", zlib(new byte[100 << 20]));
        ZarrArray array =
                Objects.requireNonNull(ZarrArray.open(store, "").block()).maxChunkBytes(1 << 20);

        Hostile.bytes(() -> assertThatThrownBy(() -> array.read().block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("inflates to more than the 1048576 bytes expected"));
    }

    @Test
    void frames_thatClaimMoreThanTheChunk_areRefused() {
        byte[] blosc = new byte[16];
        Arrays.fill(blosc, (byte) 0x7F);
        blosc[0] = 2;
        for (String id : new String[] {"blosc", "lz4"}) {
            ZarrArray array = array("[8]", "[8]", "|u1", "null", "{\"id\":\"%s\"}".formatted(id));
            store.put("0", id.equals("lz4") ? Arrays.copyOfRange(blosc, 1, 12) : blosc);

            Hostile.bytes(() -> assertThatThrownBy(() -> array.read().block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("inflates to more than the 8 bytes expected"));
        }
    }
}
