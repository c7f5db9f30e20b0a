package io.penstock.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.pipeline.Dataset;
import io.penstock.store.http.HttpStore;
import io.penstock.store.http.TestServer;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TfRecordsTest extends DatasetKit<Tensor> {

    @TempDir
    private Path folder;

    @TempDir
    private Path cache;

    private static byte[] record(long number) {
        return "record %d".formatted(number).repeat((int) number).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] file(int from, int to) {
        List<byte[]> records = new ArrayList<>();
        for (int i = from; i < to; i++) {
            records.add(record(i));
        }
        return TfRecordMaker.file(records);
    }

    @BeforeEach
    void write() throws IOException {
        Files.write(folder.resolve("a.tfrecord"), file(0, 3));
        Files.write(folder.resolve("b.tfrecord"), file(3, 7));
    }

    @Override
    protected Dataset<Tensor> open() {
        return TfRecords.open(folder.resolve("*.tfrecord"), cache);
    }

    @Override
    protected Tensor expected(long index) {
        byte[] bytes = record(index);
        return Tensor.of(DType.U8, Shape.of(bytes.length), ByteBuffer.wrap(bytes));
    }

    @Override
    protected void change(long index) throws IOException {
        Path file = folder.resolve(index < 3 ? "a.tfrecord" : "b.tfrecord");
        List<byte[]> records = new ArrayList<>();
        for (int i = index < 3 ? 0 : 3; i < (index < 3 ? 3 : 7); i++) {
            records.add(i == index ? "other".getBytes(StandardCharsets.UTF_8) : record(i));
        }
        Files.write(file, TfRecordMaker.file(records));
    }

    @Override
    protected boolean share(long one, long other) {
        return one < 3 == other < 3;
    }

    @Test
    void open_compressedFiles_haveTheSameRecords() throws IOException {
        try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(folder.resolve("c.gz")));
                OutputStream zlib = new DeflaterOutputStream(Files.newOutputStream(folder.resolve("d.zlib")))) {
            gzip.write(file(0, 3));
            zlib.write(file(0, 3));
        }

        for (String name : List.of("c.gz", "d.zlib")) {
            try (TfRecords records = TfRecords.open(folder.resolve(name), cache)) {
                assertThat(records.size()).isEqualTo(3);
                assertThat(records.get(2).block()).isEqualTo(expected(2));
            }
        }
    }

    @Test
    void open_overHttp_hasTheSameRecords() throws IOException {
        try (TestServer server = TestServer.of(folder);
                HttpStore store = HttpStore.at(server.address());
                TfRecords records = TfRecords.open(store, "b.tfrecord", null)) {
            assertThat(records.get(3).block()).isEqualTo(expected(6));
        }
    }

    @Test
    void open_damagedIndex_isMadeAgainAndNamedBefore() throws IOException {
        TfRecords.open(folder.resolve("a.tfrecord"), cache).close();
        try (Stream<Path> kept = Files.list(cache)) {
            Path index = kept.findFirst().orElseThrow();
            byte[] bytes = Files.readAllBytes(index);
            bytes[bytes.length - 1] ^= 1;
            Files.write(index, bytes);

            assertThat(TarShards.damaged(cache)).containsExactly(index);
        }
        try (TfRecords records = TfRecords.open(folder.resolve("a.tfrecord"), cache)) {
            assertThat(records.get(1).block()).isEqualTo(expected(1));
        }
        assertThat(TarShards.damaged(cache)).isEmpty();
    }

    @Test
    void get_recordWithAFlippedBit_failsAloneAndNamesItsPlace() throws IOException {
        byte[] bytes = file(0, 3);
        bytes[12 + 4 + 12 + 2] ^= 1;
        Files.write(folder.resolve("a.tfrecord"), bytes);

        try (TfRecords records = TfRecords.open(folder.resolve("a.tfrecord"), null)) {
            assertThatThrownBy(() -> records.get(1).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessage("a.tfrecord: record 1 at byte 28 is damaged: the checksum of its 8 bytes is wrong");
            assertThat(records.get(2).block()).isEqualTo(expected(2));
        }
    }

    @Test
    void open_brokenFraming_namesTheRecordAndTheByte() throws IOException {
        byte[] whole = file(0, 3);
        byte[] flipped = whole.clone();
        flipped[16] ^= 1;
        requireRefused(flipped, "record 1 at byte 16 has a length with a wrong checksum");
        for (int end = 1; end < whole.length; end++) {
            if (end != 16 && end != 40) {
                requireRefused(Arrays.copyOf(whole, end), "is cut off");
            }
        }
        for (long claim : new long[] {1L << 60, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            String claimed = Long.toUnsignedString(claim);
            requireRefused(TfRecordMaker.head(claim), "it claims %s bytes, 0 are left".formatted(claimed));
        }
    }

    @Test
    void open_oneDamagedFileOfMany_isOneSampleThatFails() throws IOException {
        Files.write(folder.resolve("a.tfrecord"), Arrays.copyOf(file(0, 3), 60));
        Files.write(folder.resolve("c.tfrecord.gz"), new byte[] {0x1F, (byte) 0x8B, 8});

        try (TfRecords records = TfRecords.open(folder, cache)) {
            assertThat(records.size()).isEqualTo(1 + 4 + 1);
            assertThatThrownBy(() -> records.get(0).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageMatching(
                            "a.tfrecord in .*: record 2 at byte 40 is cut off: it claims 16 bytes, 4 are left");
            assertThat(records.get(1).block()).isEqualTo(expected(3));
            assertThat(records.id(0).name()).isEqualTo("a.tfrecord@0");
            assertThatThrownBy(() -> records.get(5).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("c.tfrecord.gz");
        }
    }

    private void requireRefused(byte[] bytes, String reason) throws IOException {
        Path file = Files.write(folder.resolve("broken.tfrecord"), bytes);
        assertThatThrownBy(() -> TfRecords.open(file, null))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("broken.tfrecord")
                .hasMessageContaining(reason);
    }

    @Test
    void open_emptyFile_isRefused() throws IOException {
        Path file = Files.write(folder.resolve("empty.tfrecord"), new byte[0]);

        assertThatThrownBy(() -> TfRecords.open(file, null))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no records");
    }
}
