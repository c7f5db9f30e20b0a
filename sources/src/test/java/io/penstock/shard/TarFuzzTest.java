package io.penstock.shard;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.cache.SampleKey;
import io.penstock.fault.DataException;
import io.penstock.kit.Hostile;
import io.penstock.store.StoreFile;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.provider.MethodSource;

/** Archives and indexes that no archiver wrote. Checksums are put right, since what lies behind them is meant. */
class TarFuzzTest {

    private static final int MAX_SAMPLE = 1 << 20;
    private static final SampleKey PLACE = SampleKey.of("fuzz");

    private static Path folder = Path.of("");

    @BeforeAll
    static void makeFolder() throws IOException {
        folder = Files.createTempDirectory("fuzz");
    }

    @AfterAll
    static void removeFolder() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    @MethodSource("archives")
    @FuzzTest(maxDuration = "10m")
    void archive_ofAnyBytes_isIndexedAndReadOrRefused(byte[] input) {
        byte[] archive = input.clone();
        Hostile.bytes(() -> {
            TarIndex index = TarIndex.scan(summed(archive), "fuzz.tar");
            TarShard shard = new TarShard(
                    "fuzz.tar", PLACE, List.of(), StoreFile.inMemory("memory:fuzz", "fuzz.tar", archive), index);
            for (int file = 0; file < index.size(); file++) {
                assertThat(index.offset(file)).isNotNegative();
                assertThat(index.length(file)).isBetween(0L, archive.length - index.offset(file));
                requireReadOrRefused(shard, file);
            }
            SampleTable table = SampleTable.of(index);
            for (int sample = 0; sample < table.size(); sample++) {
                assertThat(table.parts(sample)).isPositive();
            }
        });
    }

    private static void requireReadOrRefused(TarShard shard, int file) {
        Hostile.bytes(() -> {
            List<Tensor> bytes = Objects.requireNonNull(
                    shard.read(new int[] {file}, MAX_SAMPLE).block());
            assertThat(bytes.get(0).byteSize()).isLessThanOrEqualTo(MAX_SAMPLE);
        });
    }

    /** Every block that is asked for alone may be a header, and gets the sum that it should have. */
    private static TarBytes summed(byte[] archive) {
        TarBytes plain = TarMaker.tarBytes(archive);
        return new TarBytes() {
            @Override
            public long size() {
                return plain.size();
            }

            @Override
            public byte[] at(long offset, int length) {
                byte[] bytes = plain.at(offset, length);
                boolean zero = true;
                for (byte b : bytes) {
                    zero &= b == 0;
                }
                if (length == TarHeader.BLOCK && bytes.length == length && !zero) {
                    TarMaker.summed(bytes);
                    System.arraycopy(bytes, 0, archive, (int) offset, length);
                }
                return bytes;
            }
        };
    }

    /** The file of an index; its fixed part is put right as far as it is checked before it is parsed. */
    @MethodSource("indexes")
    @FuzzTest(maxDuration = "10m")
    void index_ofAnyBytes_isReadOrMadeAnew(byte[] input) throws IOException {
        TarIndexFile kept = new TarIndexFile(folder, PLACE, PLACE, 4096);
        kept.write(TarIndex.scan(
                TarMaker.tarBytes(new TarMaker().file("a.txt", "a").bytes()), "fuzz.tar"));
        Path file = onlyFile();
        byte[] bytes = input.length < 40 ? input : Arrays.copyOf(Files.readAllBytes(file), Math.max(40, input.length));
        if (input.length >= 40) {
            System.arraycopy(input, 40, bytes, 40, input.length - 40);
            CRC32C crc = new CRC32C();
            crc.update(bytes, 16, bytes.length - 16);
            ByteBuffer.wrap(bytes).putInt(12, (int) crc.getValue());
        }
        Files.write(file, bytes);
        Hostile.bytes(() -> {
            TarIndex index = kept.read();
            for (int i = 0; index != null && i < index.size(); i++) {
                assertThat(index.name(i)).isNotNull();
                assertThat(index.length(i)).isBetween(0L, 4096 - index.offset(i));
            }
        });
    }

    private static Path onlyFile() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findFirst().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<byte[]> indexes() throws IOException {
        Path made = Files.createTempDirectory("fuzz");
        try {
            new TarIndexFile(made, PLACE, PLACE, 4096).write(TarIndex.scan(TarMaker.tarBytes(small()), "fuzz.tar"));
            try (Stream<Path> files = Files.list(made)) {
                Path file = files.findFirst().orElseThrow();
                byte[] bytes = Files.readAllBytes(file);
                Files.delete(file);
                return Stream.of(bytes);
            }
        } finally {
            Files.delete(made);
        }
    }

    private static byte[] small() {
        return new TarMaker()
                .file("a.txt", "one")
                .file("a.cls", "2")
                .file("b.txt", "three")
                .bytes();
    }

    static Stream<byte[]> archives() throws DataException {
        return Stream.of(
                small(),
                new TarMaker()
                        .magic("ustar  \0")
                        .member('L', "././@LongLink", "x".repeat(120))
                        .file("short", "bytes")
                        .bytes(),
                new TarMaker()
                        .pax('g', "size=3")
                        .pax('x', "path=long/name.txt", "size=4")
                        .file("name", "four")
                        .bytes(),
                new TarMaker()
                        .pax('x', "GNU.sparse.size=100", "GNU.sparse.numblocks=1", "GNU.sparse.map=7,4")
                        .file("holes", "four")
                        .bytes(),
                new TarMaker().magic("ustar  \0").member('S', "holes", "four").bytes());
    }
}
