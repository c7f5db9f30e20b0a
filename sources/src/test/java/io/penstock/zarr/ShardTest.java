package io.penstock.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.kit.CountingStore;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.codec.ShardIndex;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardTest {

    private static final long NONE = -1;

    private final CountingStore store = new CountingStore();

    private static String metadata(String location, String inner, String shape, String shard) {
        return """
                {"zarr_format":3,"node_type":"array","shape":%s,"data_type":"uint8","fill_value":9,
                 "chunk_grid":{"name":"regular","configuration":{"chunk_shape":%s}},"chunk_key_encoding":"default",
                 "codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":%s,
                  "index_location":"%s","index_codecs":
                   [{"name":"bytes","configuration":{"endian":"little"}},
                    "crc32c"]}}]}""".formatted(shape, shard, inner, location);
    }

    /** An index of offsets and lengths in turn, and its checksum. */
    private static byte[] index(long... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * numbers.length + 4).order(ByteOrder.LITTLE_ENDIAN);
        for (long number : numbers) {
            bytes.putLong(number);
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), 0, 8 * numbers.length);
        return bytes.putInt((int) crc.getValue()).array();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private ZarrArray open() {
        return Objects.requireNonNull(ZarrArray.open(store, "").block());
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "end"})
    void read_indexAtEitherEnd_isReadOnceAndInnerChunksByRange(String location) {
        int first = location.equals("start") ? 52 : 0;
        byte[] index = index(first + 2, 2, NONE, NONE, first, 2);
        byte[] data = {5, 6, 1, 2};
        store.put("zarr.json", metadata(location, "[\"bytes\"]", "[12]", "[6]"))
                .put("c/0", first == 0 ? joined(data, index) : joined(index, data));
        ZarrArray array = open();

        Tensor whole = Objects.requireNonNull(array.read().block());

        assertThat(whole.toByteArray()).containsExactly(1, 2, 9, 9, 5, 6, 9, 9, 9, 9, 9, 9);
        assertThat(store.asked())
                .containsExactlyInAnyOrder(
                        "c/0[%d+52]".formatted(first == 0 ? 4 : 0),
                        "c/0[%d+2]".formatted(first),
                        "c/0[%d+2]".formatted(first + 2));
        assertThat(array.readShape()).isEqualTo(Shape.of(2));
    }

    @Test
    void read_oneRow_readsItsInnerChunkAlone() {
        store.put("zarr.json", metadata("end", "[\"bytes\"]", "[4]", "[4]"))
                .put("c/0", joined(new byte[] {1, 2, 3, 4}, index(0, 2, 2, 2)));
        ZarrArray array = open();

        Tensor row = Objects.requireNonNull(array.rows().get(3).block());

        assertThat(row.longAt(0)).isEqualTo(4);
        assertThat(store.asked()).containsExactly("c/0[4+36]", "c/0[2+2]");
        assertThat(array.rows().get(2).block()).isNotNull();
        assertThat(store.asked()).isEmpty();
    }

    @Test
    void read_nestedShards_findsTheInnermostChunk() {
        String inner = "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[1],\"codecs\":[\"bytes\"],"
                + "\"index_codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},"
                + "\"crc32c\"]}}]";
        byte[] one = joined(new byte[] {7}, index(0, 1, NONE, NONE));
        byte[] two = joined(new byte[] {3, 4}, index(1, 1, 0, 1));
        store.put("zarr.json", metadata("end", inner, "[4]", "[4]"))
                .put("c/0", joined(one, two, index(0, one.length, one.length, two.length)));

        Tensor whole = Objects.requireNonNull(open().read().block());

        assertThat(whole.toByteArray()).containsExactly(7, 9, 4, 3);
    }

    @Test
    void read_compressedShard_isDecodedWhole() {
        byte[] shard = joined(new byte[] {1, 2, 3, 4}, index(0, 2, 2, 2));
        CRC32C crc = new CRC32C();
        crc.update(shard);
        byte[] sum = ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) crc.getValue())
                .array();
        store.put(
                        "zarr.json",
                        metadata("end", "[\"bytes\"]", "[4]", "[4]")
                                .replace("\"crc32c\"]}}]", "\"crc32c\"]}},\"crc32c\"]"))
                .put("c/0", joined(shard, sum));

        Tensor whole = Objects.requireNonNull(open().read().block());

        assertThat(whole.toByteArray()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void index_outsideOrOverlapping_isRefused() {
        refused(index(0, 2, 4, Long.MAX_VALUE), "must lie within the shard's 40 bytes");
        refused(index(0, 2, -2, 2), "must lie within the shard's 40 bytes, is at 18446744073709551614");
        refused(index(0, 2, 2, -5), "must lie within the shard's 40 bytes");
        refused(index(0, 2, 1, 2), "inner chunks 0 and 1 overlap at byte 1");
        refused(index(0, 2, 3, 2), "overlaps the index");
        byte[] damaged = index(0, 2, 2, 2);
        damaged[0] ^= 1;
        refused(damaged, "crc32c: bytes are damaged");
    }

    private void refused(byte[] index, String message) {
        store.put("zarr.json", metadata("end", "[\"bytes\"]", "[4]", "[4]")).put("c/0", joined(new byte[4], index));

        assertThatThrownBy(() -> open().read().block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("of chunk c/0 in memory:test")
                .hasMessageContaining(message);
    }

    @Test
    void shard_shorterThanItsIndex_isRefused() {
        store.put("zarr.json", metadata("end", "[\"bytes\"]", "[4]", "[4]")).put("c/0", new byte[35]);

        assertThatThrownBy(() -> open().read().block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("a shard must hold its index of 36 bytes, has 35");
    }

    @Property(tries = 2000)
    void index_ofAnyNumbers_isRefusedOrWithinTheShard(@ForAll byte[] numbers, @ForAll("sizes") int size) {
        byte[] whole = java.util.Arrays.copyOf(numbers, numbers.length / 16 * 16);
        try {
            ShardIndex index = ShardIndex.of(whole, size, 0, 0, 1 << 20);
            for (int i = 0; i < index.size(); i++) {
                assertThat(!index.has(i) || index.offset(i) >= 0 && index.offset(i) + index.length(i) <= size)
                        .isTrue();
            }
        } catch (FormatException e) {
            assertThat(e).hasMessageStartingWith("shard index: ");
        }
    }

    @net.jqwik.api.Provide
    net.jqwik.api.Arbitrary<Integer> sizes() {
        return net.jqwik.api.Arbitraries.integers().between(0, 1 << 24);
    }

    /** An inner chunk that is not stored is filled before the cast is undone: with bytes of another length. */
    @Test
    void shard_behindACastToAnotherType_isRefused() {
        String cast =
                "{\"name\":\"numcodecs.astype\",\"configuration\":{\"decode_dtype\":\"uint8\",\"encode_dtype\":\"float64\"}}";
        String sound =
                metadata("end", "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]", "[4]", "[4]");
        store.put("zarr.json", sound.replace("[{\"name\":\"sharding", "[" + cast + ",{\"name\":\"sharding"));

        assertThatThrownBy(() -> ZarrArray.open(store, "").block())
                .isInstanceOf(FormatException.class)
                .hasMessageEndingWith(
                        "codec \"sharding_indexed\" must have elements of type uint8, which the fill value is "
                                + "of, has f64");
    }
}
