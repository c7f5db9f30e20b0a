package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.github.luben.zstd.Zstd;
import io.penstock.fault.StoreException;
import io.penstock.kit.Hostile;
import io.penstock.store.Checksum;
import io.penstock.store.Manifest;
import io.penstock.store.MemoryStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.unpack.Unpacker;
import io.penstock.store.zip.ZipStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.scheduler.Schedulers;

/** Names, lists of names, and packed files that are not what they say. */
class NamesFuzzTest {

    private static final int MAX = 1 << 20;

    private static Path zip = Path.of("");

    @BeforeAll
    static void makeFile() throws IOException {
        zip = Files.createTempFile("fuzz", ".zip");
    }

    @AfterAll
    static void removeFile() throws IOException {
        Files.delete(zip);
    }

    @MethodSource("manifests")
    @FuzzTest(maxDuration = "10m")
    void manifest_ofAnyBytes_isReadOrRefused(byte[] text) {
        Hostile.bytes(() -> {
            Manifest manifest = Manifest.parse("fuzz", ByteBuffer.wrap(text));
            assertThat(manifest.lines()).isNotEmpty();
            for (Manifest.Line line : manifest.lines()) {
                requireStaysBelow(line.key());
            }
        });
    }

    private static void requireStaysBelow(String key) {
        Path root = Path.of("/fuzz/root");
        try {
            Path file = FileNames.resolve(root, key);
            assertThat(file.normalize().equals(file) && file.startsWith(root))
                    .as(key)
                    .isTrue();
        } catch (StoreException refused) {
            assertThat(refused.getMessage()).contains("key must name a file below");
        }
    }

    /** A pattern, a line feed, and a name. */
    @MethodSource("patterns")
    @FuzzTest(maxDuration = "10m")
    void pattern_ofAnyText_isReadOrRefused(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        String pattern = end < 0 ? text : text.substring(0, end);
        Hostile.argument(
                () -> assertThat(Glob.of(pattern).test(text.substring(end + 1))).isIn(true, false));
        Hostile.argument(() -> assertThat(Braces.expand(pattern)).isNotEmpty());
        Hostile.bytes(() ->
                assertThat(Checksum.parse(Checksum.parse(pattern).toString())).isEqualTo(Checksum.parse(pattern)));
    }

    @MethodSource("zips")
    @FuzzTest(maxDuration = "10m")
    void zip_ofAnyBytes_isReadOrRefused(byte[] bytes) throws IOException {
        Files.write(zip, bytes);
        Hostile.bytes(() -> {
            try (ZipStore store = ZipStore.open(zip, Schedulers.immediate())) {
                store.list(new Store.Visitor() {
                    @Override
                    public void file(String key, long size, long version) {
                        Hostile.bytes(() -> {
                            ByteBuffer found = store.find(key, MAX).block();
                            assertThat(Objects.requireNonNull(found).remaining())
                                    .isEqualTo((int) size);
                        });
                    }
                });
            }
        });
    }

    /** The first byte chooses between gzip and zstd. */
    @MethodSource("packed")
    @FuzzTest(maxDuration = "10m")
    void packed_ofAnyBytes_isUnpackedOrRefused(byte[] input) {
        if (input.length == 0) {
            return;
        }
        String key = (input[0] & 1) == 0 ? "a.gz" : "a.zst";
        MemoryStore store = MemoryStore.of("fuzz", Map.of(key, Arrays.copyOfRange(input, 1, input.length)));
        StoreEntry entry = Objects.requireNonNull(store.entry(key).block());
        Hostile.bytes(() -> assertThat(
                        Unpacker.inMemory().maxBytes(MAX).unpack(store, entry).size())
                .isLessThanOrEqualTo(MAX));
    }

    static Stream<byte[]> manifests() {
        return Stream.of(
                        "\"key\": \"bytes\": \"checksum\":\"crc32c:00000000\" \"label\":7 .. \\u0000 "
                                + "9223372036854775808",
                        "{\"key\":\"cat/1.jpg\",\"bytes\":10240,\"checksum\":\"crc32c:e3069283\","
                                + "\"label\":\"cat\"}\n\n{\"key\":\"dog\"}",
                        "{\"label\":3,\"other\":[1,{\"a\":null}],\"key\":\"\\u00fc/x\"}\r\n",
                        "{\"key\":\"../x\"}\n{\"key\":\"/x\"}")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    static Stream<byte[]> patterns() {
        return Stream.of(
                        "{000..127} {a,b} [!a-z] []a] [z-a] ** \\E {9..0} {0..999999999}",
                        "shard-{000..003}.tar\nshard-001.tar",
                        "*.{jpg,png}\na.png",
                        "[!a-c]?[x&&y]\ndx",
                        "*x*******y*********z\nxyxyxyxyxyxyxyxyxyxyxyxy",
                        "crc32c:e3069283\n")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    static Stream<byte[]> zips() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            out.putNextEntry(new ZipEntry("a/b.txt"));
            out.write("deflated deflated deflated".getBytes(StandardCharsets.UTF_8));
            out.putNextEntry(new ZipEntry("folder/"));
            byte[] stored = {1, 2, 3};
            CRC32 crc = new CRC32();
            crc.update(stored);
            ZipEntry entry = new ZipEntry("../c");
            entry.setMethod(ZipEntry.STORED);
            entry.setSize(stored.length);
            entry.setCrc(crc.getValue());
            out.putNextEntry(entry);
            out.write(stored);
        }
        return Stream.of(bytes.toByteArray());
    }

    static Stream<byte[]> packed() throws IOException {
        ByteArrayOutputStream gzip = new ByteArrayOutputStream();
        gzip.write(0);
        try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
            out.write(new byte[300]);
        }
        byte[] zstd = Zstd.compress(new byte[300]);
        byte[] chosen = new byte[zstd.length + 1];
        chosen[0] = 1;
        System.arraycopy(zstd, 0, chosen, 1, zstd.length);
        return Stream.of(gzip.toByteArray(), chosen);
    }
}
