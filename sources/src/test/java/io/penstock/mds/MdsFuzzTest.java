package io.penstock.mds;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Shards and indexes that no writer wrote. */
class MdsFuzzTest {

    private static final String INDEX = """
            {"version": 2, "shards": [{"version": 2, "format": "mds", "samples": 2, "compression": null, "hashes": [],
             "column_names": ["a", "b", "c", "d"], "column_encodings": ["int", "ndarray", "pil", "list[jpeg]"],
             "column_sizes": [8, null, null, null],
             "raw_data": {"basename": "s.mds", "bytes": %d, "hashes": {}}, "zip_data": null}]}
            """;

    @MethodSource("shards")
    @FuzzTest(maxDuration = "10m")
    void shard_ofAnyBytes_isReadOrRefused(byte[] shard) {
        requireReadOrRefused(INDEX.formatted(shard.length).getBytes(StandardCharsets.UTF_8), shard);
    }

    @MethodSource("indexes")
    @FuzzTest(maxDuration = "10m")
    void index_ofAnyBytes_isReadOrRefused(byte[] index) {
        requireReadOrRefused(index, valid());
    }

    private static void requireReadOrRefused(byte[] index, byte[] shard) {
        MemoryStore store = MemoryStore.of("fuzz", Map.of("index.json", index, "s.mds", shard));
        Hostile.bytes(() -> {
            try (MdsShards rows = MdsShards.open(store, List.of(), null)) {
                for (long i = 0; i < Math.min(rows.size(), 4); i++) {
                    Row row = Objects.requireNonNull(rows.get(i).block());
                    long bytes =
                            row.values().stream().mapToLong(Tensor::byteSize).sum();
                    assertThat(bytes).isLessThanOrEqualTo(shard.length);
                }
            }
        });
    }

    private static byte[] valid() {
        byte[] array = {17, 1 << 2, 2, 1, 0, 2, 0};
        byte[] pixels = ByteBuffer.allocate(16)
                .put(MdsMaker.u32(1))
                .put(MdsMaker.u32(3))
                .put(MdsMaker.u32(1))
                .put((byte) 'L')
                .put(new byte[3])
                .array();
        byte[] files = ByteBuffer.allocate(14)
                .put(MdsMaker.u32(0))
                .put(MdsMaker.u32(1))
                .put(MdsMaker.u32(2))
                .array();
        List<byte[]> sample = List.of(MdsMaker.i64(7), array, pixels, files);
        return new MdsMaker()
                .column("a", "int", 8)
                .column("b", "ndarray", 0)
                .column("c", "pil", 0)
                .column("d", "list[jpeg]", 0)
                .shard(List.of(sample, sample));
    }

    static Stream<byte[]> shards() {
        byte[] valid = valid();
        List<byte[]> seeds = new ArrayList<>(List.of(valid, new byte[0], new byte[12]));
        for (int at = 0; at < valid.length; at += 5) {
            byte[] changed = valid.clone();
            changed[at] ^= (byte) 0xFF;
            seeds.add(changed);
        }
        for (int length = 1; length < valid.length; length += 31) {
            seeds.add(Arrays.copyOf(valid, length));
        }
        return seeds.stream();
    }

    static Stream<byte[]> indexes() {
        String index = INDEX.formatted(valid().length);
        return Stream.of(
                        index,
                        index.replace("\"samples\": 2", "\"samples\": 2147483647"),
                        index.replace("8,", "-8,"),
                        index.replace("8,", "2147483647,"),
                        index.replace("\"int\"", "\"ndarray:int64:999999999,999999999,999999999\""),
                        index.replace("s.mds", "../s.mds"),
                        index.replace("\"hashes\": {}", "\"hashes\": {\"md5\": \"00\"}"),
                        index.replace("null}]", "{\"basename\": \"s.mds.zstd\", \"bytes\": 3}}]"),
                        "[".repeat(100_000),
                        "{\"version\": 2, \"shards\": [[]]}",
                        "")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }
}
