package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.array.ArrayRows;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cli.TarBytes;
import io.penstock.fault.DataException;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.records.RecordFiles;
import io.penstock.shard.TarShards;
import io.penstock.store.FileStore;
import io.penstock.store.zip.ZipStore;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.text.TextLines;
import io.penstock.zarr.ZarrArray;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A source that is overwritten in place while it is streamed through a cache ends the stream and leaves the cache true. */
class RewrittenSourcesTest {

    private static final int SAMPLES = 40;
    private static final int BYTES = 80_000; // too large for blocks of neighbours, which would hold the file before

    @TempDir
    private Path temp;

    @FunctionalInterface
    interface Opener {
        Dataset<Tensor> open(Path file) throws IOException;
    }

    /** A kind of source: its file, with a letter as contents, and what opens it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Kind(String name, byte[] before, byte[] after, Opener opener) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() throws IOException {
        return Stream.of(
                new Kind("data.bin", lines('a', ""), lines('b', ""), file -> RecordFiles.open(file, BYTES)),
                new Kind("data.npy", npy('a'), npy('b'), ArrayRows::openNpy),
                new Kind(
                        "data.txt",
                        lines('a', "\n"),
                        lines('b', "\n"),
                        file -> TextLines.open(file).bytes()),
                new Kind(
                        "data.tar",
                        tar('a'),
                        tar('b'),
                        file -> TarShards.open(file).files().map("bytes", member -> member.bytes())),
                new Kind(
                        "data.zip",
                        zip('a'),
                        zip('b'),
                        file -> RecordFiles.open(ZipStore.open(file), "data.bin", BYTES)),
                new Kind("2.0", lines('a', ""), lines('b', ""), RewrittenSourcesTest::zarr));
    }

    private static byte[] lines(char letter, String end) {
        return ("%c".formatted(letter).repeat(BYTES) + end).repeat(SAMPLES).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] npy(char letter) {
        String header = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }".formatted(SAMPLES, BYTES);
        byte[] rows = lines(letter, "");
        return ByteBuffer.allocate(128 + rows.length)
                .put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0})
                .put((header + " ".repeat(117 - header.length()) + "\n").getBytes(StandardCharsets.US_ASCII))
                .put(rows)
                .array();
    }

    private static byte[] tar(char letter) {
        Object[] members = new Object[2 * SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            members[2 * i] = "f" + i + ".txt";
            members[2 * i + 1] = Arrays.copyOf(lines(letter, ""), BYTES);
        }
        return TarBytes.of(members);
    }

    private static byte[] zip(char letter) throws IOException {
        byte[] data = lines(letter, "");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            ZipEntry entry = new ZipEntry("data.bin");
            entry.setTime(0);
            entry.setMethod(ZipEntry.STORED);
            entry.setSize(data.length);
            CRC32 crc = new CRC32();
            crc.update(data);
            entry.setCrc(crc.getValue());
            zip.putNextEntry(entry);
            zip.write(data);
        }
        return bytes.toByteArray();
    }

    private static Dataset<Tensor> zarr(Path chunk) throws IOException {
        Path folder = Objects.requireNonNull(chunk.getParent());
        Files.writeString(folder.resolve(".zarray"), """
                {"zarr_format": 2, "shape": [%d, %d], "chunks": [%d, %d], "dtype": "|u1", "order": "C",
                 "compressor": null, "filters": null, "fill_value": 0}
                """.formatted(3 * SAMPLES, BYTES, SAMPLES, BYTES));
        Files.write(folder.resolve("0.0"), lines('a', ""));
        Files.write(folder.resolve("1.0"), lines('a', ""));
        return Objects.requireNonNull(ZarrArray.open(FileStore.open(folder), "")
                        .flatMap(array -> array.chunkCacheBytes(0).checkingChunks())
                        .block())
                .rows();
    }

    private static void overwrite(Path file, byte[] bytes) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> values(Dataset<Tensor> data, Tier cache, Runnable afterSome) {
        List<String> values = new ArrayList<>();
        data.cache(cache, Schema.tensor("bytes")).stream(
                        Sampler.sequential(), Execution.standard().inFlight(2))
                .doOnNext(sample -> {
                    values.add(new String(sample.value().toByteArray(), StandardCharsets.US_ASCII));
                    if (values.size() == SAMPLES / 2) {
                        afterSome.run();
                    }
                })
                .blockLast();
        return values;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void stream_sourceOverwrittenInPlace_endsAndCachesNothingOfIt(Kind kind) throws IOException {
        Path file = Files.write(temp.resolve(kind.name), kind.before);
        FileTime time = Files.getLastModifiedTime(file);
        try (Tier cache =
                ChronicleTier.at(temp.resolve("cache")).maxBytes(64 << 20).open()) {
            Dataset<Tensor> first = kind.opener.open(file);

            assertThatThrownBy(() -> values(first, cache, () -> overwrite(file, kind.after)))
                    .isInstanceOf(DataException.class)
                    .hasStackTraceContaining(kind.name)
                    .hasStackTraceContaining("changed since");
            overwrite(file, kind.before);
            Files.setLastModifiedTime(file, time);

            List<String> restored = values(kind.opener.open(file), cache, () -> {});
            assertThat(restored).containsOnly("a".repeat(BYTES));
        }
    }
}
