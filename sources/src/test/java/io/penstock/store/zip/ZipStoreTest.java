package io.penstock.store.zip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.store.StoreEntry;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.test.StepVerifier;

class ZipStoreTest {

    private static final byte[] TEXT = "0123456789 0123456789".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder;

    private Path zip = Path.of("");

    @BeforeEach
    void write() throws IOException {
        zip = folder.resolve("data.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            add(out, "a/deflated", ZipEntry.DEFLATED);
            add(out, "a/stored ü", ZipEntry.STORED);
            add(out, "../up", ZipEntry.STORED);
            out.putNextEntry(new ZipEntry("empty/"));
            out.closeEntry();
        }
    }

    private static void add(ZipOutputStream out, String name, int method) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setMethod(method);
        if (method == ZipEntry.STORED) {
            CRC32 crc = new CRC32();
            crc.update(TEXT);
            entry.setSize(TEXT.length);
            entry.setCrc(crc.getValue());
        }
        out.putNextEntry(entry);
        out.write(TEXT);
        out.closeEntry();
    }

    @Test
    void entries_storedAndDeflated_areReadWholeAndByRange() {
        try (ZipStore store = ZipStore.open(zip)) {
            for (String key : new String[] {"a/deflated", "a/stored ü", "../up"}) {
                StoreEntry entry = Objects.requireNonNull(store.entry(key).block());

                StepVerifier.create(store.read(entry), 0)
                        .expectSubscription()
                        .thenRequest(1)
                        .expectNext(ByteBuffer.wrap(TEXT))
                        .verifyComplete();
                assertThat(store.read(entry, 8, 5).block())
                        .isEqualTo(ByteBuffer.wrap("89 01".getBytes(StandardCharsets.UTF_8)));
                assertThat(store.find(key, TEXT.length).block()).isEqualTo(ByteBuffer.wrap(TEXT));
                assertThatThrownBy(() -> store.find(key, TEXT.length - 1).block())
                        .hasMessageContaining("at most 20 bytes are expected, it has 21");
            }
        }
    }

    @Test
    void archive_ofMoreEntriesThanZipsFirstFormHolds_isReadByItsSecond() throws IOException {
        int count = 66_000;
        Path large = folder.resolve("large.zip");
        try (ZipOutputStream out = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(large)))) {
            out.setLevel(0);
            for (int i = 0; i < count; i++) {
                out.putNextEntry(new ZipEntry("c/" + i));
                out.write(i);
                out.closeEntry();
            }
        }

        try (ZipStore store = ZipStore.open(large)) {
            AtomicInteger listed = new AtomicInteger();
            store.list((key, size, version) -> listed.addAndGet((int) size));

            assertThat(listed).hasValue(count);
            assertThat(Objects.requireNonNull(store.find("c/65999", 10).block()).get())
                    .isEqualTo((byte) 65_999);
        }
    }

    @Test
    void find_withAFunction_appliesItWhereItRead() {
        try (ZipStore store = ZipStore.open(zip)) {
            StoreEntry entry = Objects.requireNonNull(store.entry("a/deflated").block());

            String made = store.find(
                            "a/deflated",
                            1 << 20,
                            bytes -> Thread.currentThread().getName())
                    .block();
            Integer part = store.read(entry, 1, 4, ByteBuffer::remaining).block();

            assertThat(made).startsWith("penstock-read-");
            assertThat(part).isEqualTo(4);
            assertThat(store.find("none", 10, ByteBuffer::remaining).block()).isNull();
            assertThatThrownBy(() ->
                            store.find("a/deflated", 1, ByteBuffer::remaining).block())
                    .hasMessageContaining("at most 1 bytes are expected");
        }
    }

    @Test
    void list_tellsFilesAlone() {
        Map<String, Long> sizes = new TreeMap<>();
        try (ZipStore store = ZipStore.open(zip)) {
            store.list((key, size, version) -> sizes.put(key, size));

            assertThat(store.location()).isEqualTo(zip.toAbsolutePath().toString());
        }
        assertThat(sizes).containsOnlyKeys("a/deflated", "a/stored ü", "../up").containsValue(21L);
    }

    @Test
    void read_damagedBytes_isRefused() throws IOException {
        byte[] bytes = Files.readAllBytes(zip);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).lastIndexOf("0123456789 0");
        bytes[at] = 'x';
        Files.write(zip, bytes);

        try (ZipStore store = ZipStore.open(zip)) {
            assertThatThrownBy(() -> store.find("../up", 100).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("../up in " + zip)
                    .hasMessageContaining("is damaged: its checksum is");
        }
    }

    @Test
    void entry_rewrittenByAppending_isTheLastOne() throws IOException {
        byte[] first = entryTwice("chunk".getBytes(StandardCharsets.UTF_8), "later and longer");

        Files.write(zip, first);

        try (ZipStore store = ZipStore.open(zip)) {
            List<String> listed = new ArrayList<>();
            store.list((key, size, version) -> listed.add(key + " " + size));
            StoreEntry entry = Objects.requireNonNull(store.entry("c/0").block());

            assertThat(listed).containsExactly("c/0 16");
            assertThat(store.find("c/0", 100).block())
                    .isEqualTo(ByteBuffer.wrap("later and longer".getBytes(StandardCharsets.UTF_8)));
            assertThat(store.read(entry, 6, 3).block())
                    .isEqualTo(ByteBuffer.wrap("and".getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** What Python's zipfile leaves, and so zarr-python 2, where an entry was written twice. */
    private static byte[] entryTwice(byte[] first, String second) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream writer = new ZipOutputStream(out)) {
            writer.putNextEntry(new ZipEntry("c/0"));
            writer.write(first);
            writer.putNextEntry(new ZipEntry("c/1"));
            writer.write(second.getBytes(StandardCharsets.UTF_8));
        }
        byte[] bytes = out.toByteArray();
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        for (int at = text.indexOf("c/1"); at >= 0; at = text.indexOf("c/1", at + 1)) {
            bytes[at + 2] = '0';
        }
        return bytes;
    }

    @Test
    void open_cutOffOrNoZip_isRefused() throws IOException {
        byte[] bytes = Files.readAllBytes(zip);
        Files.write(zip, Arrays.copyOf(bytes, bytes.length - 30));

        assertThatThrownBy(() -> ZipStore.open(zip))
                .isInstanceOf(StoreException.class)
                .hasMessageStartingWith("cannot open " + zip);
        assertThatThrownBy(() -> ZipStore.open(folder.resolve("none.zip")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no such file");
    }

    /** The JDK passes over what is before the last archive. */
    @Test
    void open_joinedArchives_isRefused() throws IOException {
        byte[] bytes = Files.readAllBytes(zip);
        Files.write(zip, bytes, StandardOpenOption.APPEND);

        assertThatThrownBy(() -> ZipStore.open(zip))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("its first %d bytes are not of this archive, as where archives were joined"
                        .formatted(bytes.length));
    }

    @Test
    void read_closed_isRefused() {
        ZipStore store = ZipStore.open(zip);
        StoreEntry entry = Objects.requireNonNull(store.entry("a/deflated").block());
        store.close();

        assertThatThrownBy(() -> store.read(entry).block()).isInstanceOf(StoreException.class);
    }

    @Test
    void read_entryBeyondTheEnd_isRefused() throws IOException {
        byte[] bytes = Files.readAllBytes(zip);
        int directory = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 6);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(directory + 42, bytes.length - 10);
        Files.write(zip, bytes);

        try (ZipStore store = ZipStore.open(zip)) {
            assertThatThrownBy(() -> store.find("a/deflated", 100).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("a/deflated in ")
                    .hasMessageEndingWith("lies beyond the end of the file");
        }
    }

    @Test
    void open_nameThatIsNoUtf8_isRefused() throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip), StandardCharsets.ISO_8859_1)) {
            out.putNextEntry(new ZipEntry("süß"));
        }

        assertThatThrownBy(() -> ZipStore.open(zip))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("data.zip: an entry's name or comment is not UTF-8: ");
    }

    @Test
    void keys_withHalfASurrogatePair_nameNothing() {
        try (ZipStore store = ZipStore.open(zip)) {
            for (String key : List.of("\uD83D", "a/\uDE00", "?")) {
                assertThat(store.entry(key).block()).isNull();
                assertThat(store.find(key, 100).block()).isNull();
                assertThat(store.isStored(key)).isFalse();
            }
        }
    }

    @Test
    void read_entryThatClaimsGibibytes_isRefusedWithoutTheirMemory() throws IOException {
        byte[] bytes = Files.readAllBytes(zip);
        ByteBuffer archive = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int directory = archive.getInt(bytes.length - 6);
        int claimed = Integer.MAX_VALUE - 100; // more than the heap of the tests
        archive.putInt(directory + 24, claimed);
        Files.write(zip, bytes);

        try (ZipStore store = ZipStore.open(zip)) {
            StoreEntry entry = Objects.requireNonNull(store.entry("a/deflated").block());
            assertThat(entry.size()).isEqualTo(claimed);
            assertThatThrownBy(() -> store.read(entry).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("ends early: has 21 bytes");
            assertThatThrownBy(() -> store.read(entry, 10, claimed - 20).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("ends early: has 21 bytes");
        }
    }

    @Test
    void open_commentThatIsNoUtf8_isRefused() throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip), StandardCharsets.ISO_8859_1)) {
            ZipEntry entry = new ZipEntry("a");
            entry.setComment("süß");
            out.putNextEntry(entry);
        }

        assertThatThrownBy(() -> ZipStore.open(zip))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("data.zip: an entry's name or comment is not UTF-8: ");
    }
}
