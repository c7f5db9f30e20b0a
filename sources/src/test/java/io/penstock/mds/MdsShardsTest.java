package io.penstock.mds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.kit.Hostile;
import io.penstock.pipeline.Dataset;
import io.penstock.store.http.HttpStore;
import io.penstock.store.http.TestServer;
import io.penstock.table.Row;
import io.penstock.table.TableField;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MdsShardsTest extends DatasetKit<Row> {

    private static final int SIZE = 7;
    private static final int IN_FIRST = 3;

    @TempDir
    private Path folder;

    @TempDir
    private Path unpacked;

    private static byte[] text(long index) {
        return "sample %d ".formatted(index).repeat((int) index).getBytes(StandardCharsets.UTF_8);
    }

    private static List<byte[]> sample(long index) {
        return List.of(MdsMaker.i64(index * 1000), text(index));
    }

    private static List<List<byte[]>> samples(int from, int to) {
        List<List<byte[]>> samples = new ArrayList<>();
        for (int i = from; i < to; i++) {
            samples.add(sample(i));
        }
        return samples;
    }

    private static MdsMaker maker() {
        return new MdsMaker().column("label", "int", 8).column("text", "str", 0);
    }

    private static void write(MdsMaker maker, Path folder) throws IOException {
        maker.write(folder, samples(0, IN_FIRST))
                .write(folder, samples(IN_FIRST, SIZE))
                .index(folder);
    }

    @BeforeEach
    void write() throws IOException {
        write(maker().hashed(), folder);
    }

    @Override
    protected Dataset<Row> open() {
        return MdsShards.open(folder, List.of(), unpacked);
    }

    private static Tensor scalar(long value) {
        return Tensor.of(DType.I64, Shape.SCALAR, ByteBuffer.wrap(MdsMaker.i64(value)));
    }

    @Override
    protected Row expected(long index) {
        return new Row(List.of("label", "text"), List.of(scalar(index * 1000), Tensor.ofBytes(text(index))));
    }

    @Override
    protected void change(long index) throws IOException {
        List<List<byte[]>> other = samples(0, SIZE);
        other.set((int) index, List.of(MdsMaker.i64(1), "other".getBytes(StandardCharsets.UTF_8)));
        Path second = folder.resolve("shard.00001.mds");
        FileTime written = Files.getLastModifiedTime(second);
        maker().hashed()
                .write(folder, other.subList(0, IN_FIRST))
                .write(folder, other.subList(IN_FIRST, SIZE))
                .index(folder);
        Files.setLastModifiedTime(second, written);
    }

    @Override
    protected boolean share(long one, long other) {
        return one < IN_FIRST == other < IN_FIRST;
    }

    private static Row row(Dataset<Row> rows, long index) {
        return Objects.requireNonNull(rows.get(index).block());
    }

    @Test
    void open_compressedShards_haveTheSameSamples() throws IOException {
        for (String compression : List.of("zstd:7", "gz")) {
            Path packed = Files.createDirectory(folder.resolve(compression.substring(0, 2)));
            write(maker().hashed().compressed(compression), packed);

            for (Path into : Arrays.asList(unpacked, null)) {
                try (MdsShards rows = MdsShards.open(packed, List.of(), into)) {
                    assertThat(row(rows, 2)).isEqualTo(expected(2));
                    assertThat(row(rows, 6)).isEqualTo(expected(6));
                }
            }
        }
    }

    @Test
    void open_decompressedByStreaming_isRead() throws IOException {
        Path cached = Files.createDirectory(folder.resolve("cached"));
        MdsMaker maker = maker().compressed("zstd");
        write(maker, cached);
        for (int i = 0; i < 2; i++) {
            String name = "shard.0000%d.mds".formatted(i);
            Files.delete(cached.resolve(name + ".zstd"));
            Files.write(cached.resolve(name), maker.shard(i == 0 ? samples(0, IN_FIRST) : samples(IN_FIRST, SIZE)));
        }

        try (MdsShards rows = MdsShards.open(cached, List.of(), null)) {
            assertThat(row(rows, 5)).isEqualTo(expected(5));
        }
    }

    @Test
    void open_overHttp_hasTheSameSamples() throws IOException {
        try (TestServer server = TestServer.of(folder);
                HttpStore store = HttpStore.at(server.address());
                MdsShards rows = MdsShards.open(store, List.of("text"), null)) {
            assertThat(rows.schema().names()).containsExactly("text");
            assertThat(row(rows, 6).tensor("text").toByteArray()).isEqualTo(text(6));
        }
    }

    @Test
    void get_shardWithAFlippedBit_isRefusedByItsHash() throws IOException {
        Path shard = folder.resolve("shard.00000.mds");
        byte[] bytes = Files.readAllBytes(shard);
        bytes[bytes.length - 1] ^= 1;
        Files.write(shard, bytes);

        try (MdsShards rows = MdsShards.open(folder, List.of(), null)) {
            assertThatThrownBy(() -> rows.get(1).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageMatching("shard.00000.mds in .* is damaged: its sha1 is \\w+, its index says \\w+;"
                            + " fetch it again");
            assertThat(row(rows, 4)).isEqualTo(expected(4));
        }
    }

    @Test
    void open_shardsOfAnotherSize_failAsSamplesUnlessAllAre() throws IOException {
        Path first = folder.resolve("shard.00000.mds");
        byte[] bytes = Files.readAllBytes(first);
        Files.write(first, Arrays.copyOf(bytes, bytes.length - 1));
        String refusal =
                "shard.00000.mds in .* has %d bytes, its index says %d: fetch it again, or write the index again"
                        .formatted(bytes.length - 1, bytes.length);

        try (MdsShards rows = MdsShards.open(folder, List.of(), null)) {
            assertThat(rows.size()).isEqualTo(SIZE);
            assertThatThrownBy(() -> rows.get(0).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageMatching(refusal);
            assertThat(row(rows, IN_FIRST)).isEqualTo(expected(IN_FIRST));
        }
        Files.write(folder.resolve("shard.00001.mds"), new byte[1]);
        assertThatThrownBy(this::open).isInstanceOf(FormatException.class).hasMessageMatching(refusal);
    }

    @Test
    void open_fieldsThatASampleMustTell_areThoseOfAShardThatCanBeRead() throws IOException {
        Path arrays = Files.createDirectory(folder.resolve("arrays"));
        List<List<byte[]>> one = List.of(List.of(new byte[] {8, 4, 2, 1, 2}));
        new MdsMaker()
                .column("a", "ndarray", 0)
                .hashed()
                .write(arrays, one)
                .write(arrays, one)
                .index(arrays);
        Path first = arrays.resolve("shard.00000.mds");
        byte[] bytes = Files.readAllBytes(first);
        bytes[bytes.length - 1] ^= 1;
        Files.write(first, bytes);

        try (MdsShards rows = MdsShards.open(arrays, List.of(), null)) {
            assertThat(rows.fields()).containsExactly(new TableField("a", DType.U8, 1));
        }
    }

    @Test
    void get_ofAShardThatClaimsMoreSamplesThanItHasBytes_isRefused() throws IOException {
        Path index = folder.resolve("index.json");
        Files.writeString(
                index, Files.readString(index).replaceAll("\"samples\": ?\\d+", "\"samples\":" + Integer.MAX_VALUE));

        try (MdsShards rows = MdsShards.open(folder, List.of(), null)) {
            Hostile.bytes(() -> assertThatThrownBy(() -> rows.get(5).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("is cut off: it has "));
        }
    }

    @Test
    void open_whatIsMissing_isRefusedByName() throws IOException {
        Path shard = folder.resolve("shard.00001.mds");

        Files.delete(shard);
        assertThatThrownBy(this::open).isInstanceOf(StoreException.class).hasMessageContaining("shard.00001.mds");
        Files.delete(folder.resolve("index.json"));
        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("no MDS data set in ")
                .hasMessageEndingWith("it has no index.json; name the folder that has it, such as that of a split");
    }

    @Test
    void open_indexOfWhatCannotBeRead_saysWhy() throws IOException {
        String index = Files.readString(folder.resolve("index.json"));
        String[][] changes = {
            {"\"format\":\"mds\"", "\"format\":\"csv\"", "has shards of format \"csv\": only mds can be read"},
            {"{\"version\":2,\"shards\"", "{\"version\":3,\"shards\"", "is of version 3, not 2"},
            {"\"basename\":\"shard", "\"basename\":\"../shard", "which is no file next to it"},
            {"\"samples\":3", "\"samples\":-3", "has a shard with -3 samples"},
            {"shard.00001", "shard.00000", "names a shard twice"},
            {"\"label\", \"text\"", "\"text\", \"text\"", "has two columns of one name"},
            {"[8, null]", "[8]", "does not have one encoding and one size for each column name"},
            {"\"zip_data\":null", "\"zip_data\":{\"basename\":\"x\"}", "has shards compressed with \"null\""},
            {"]}", "", "is not JSON"},
            {index, "[1]", "is not a JSON object"},
        };
        for (String[] change : changes) {
            Files.writeString(folder.resolve("index.json"), index.replace(change[0], change[1]));

            assertThatThrownBy(this::open)
                    .as(change[1])
                    .isInstanceOf(FormatException.class)
                    .hasMessageStartingWith("index.json in ")
                    .hasMessageContaining(change[2]);
        }
    }

    @Test
    void open_pickles_areRefusedUnlessOthersAreChosen() throws IOException {
        Path pickled = Files.createDirectory(folder.resolve("pickled"));
        MdsMaker maker = new MdsMaker().column("a", "pkl", 0).column("b", "int8", 1);
        maker.write(pickled, List.of(List.of(new byte[] {'.'}, new byte[] {-7})))
                .index(pickled);

        assertThatThrownBy(() -> MdsShards.open(pickled, List.of(), null))
                .isInstanceOf(FormatException.class)
                .hasMessage("column \"a\" is stored as pkl, which cannot be read: reading pickles would run what they"
                        + " say; write json, str or ndarray instead; or choose other columns");
        try (MdsShards rows = MdsShards.open(pickled, List.of("b"), null)) {
            assertThat(row(rows, 0).tensor("b").longAt(0)).isEqualTo(-7);
        }
        assertThatThrownBy(() -> MdsShards.open(pickled, List.of("c"), null))
                .isInstanceOf(FormatException.class)
                .hasMessageEndingWith("has no column \"c\": choose from [a, b]");
    }

    @Test
    void get_offsetsThatDoNotRise_areRefused() throws IOException {
        byte[] shard = maker().shard(samples(0, 3));
        ByteBuffer.wrap(shard).order(ByteOrder.LITTLE_ENDIAN).putInt(8, 5);
        Path broken = Files.createDirectory(folder.resolve("broken"));
        maker().write(broken, samples(0, 3)).index(broken);
        Files.write(broken.resolve("shard.00000.mds"), shard);

        try (MdsShards rows = MdsShards.open(broken, List.of(), null)) {
            assertThatThrownBy(() -> rows.get(0).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("shard.00000.mds in ")
                    .hasMessageContaining("says that sample 1 begins at byte 5: between ");
        }
    }

    @Test
    void hash_ofKnownBytes_isTheKnownOne() {
        Stream.of(
                        "xxh64 44bc2cf5ad770999",
                        "xxh32 32d153ff",
                        "md5 900150983cd24fb0d6963f7d28e17f72",
                        "sha1 a9993e364706816aba3e25717850c26c9cd0d89d")
                .map(line -> line.split(" "))
                .forEach(each -> {
                    MdsHash hash = MdsHash.of(each[0]);
                    hash.update().accept(ByteBuffer.wrap("abc".getBytes(StandardCharsets.US_ASCII)));
                    assertThat(hash.hex().get()).isEqualTo(each[1]);
                });
        assertThat(MdsHash.KNOWN)
                .allSatisfy(name -> assertThat(MdsHash.of(name).hex().get()).isNotEmpty());
    }
}
