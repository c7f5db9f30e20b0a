package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.store.StoreEntry;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

@ExtendWith(NoLeaks.class)
class HttpStoreTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private final byte[] bytes = new byte[700_001];
    private TestServer server;
    private HttpStore store;

    @BeforeEach
    void serve() throws IOException {
        new Random(7).nextBytes(bytes);
        Files.createDirectories(folder.resolve("train/ü"));
        Files.write(folder.resolve("train/ü/a %+.bin"), bytes);
        Files.write(folder.resolve("small.bin"), Arrays.copyOf(bytes, 1000));
        Files.write(folder.resolve("empty"), new byte[0]);
        server = TestServer.of(folder);
        store = HttpStore.at(server.address());
    }

    @AfterEach
    void stop() {
        store.close();
        server.close();
    }

    private StoreEntry entry(String key) {
        return store.entry(key).block();
    }

    private static byte[] array(ByteBuffer buffer) {
        assertThat(buffer.position() + buffer.arrayOffset()).isZero();
        assertThat(buffer.array()).hasSize(buffer.limit());
        return buffer.array();
    }

    @Test
    void read_wholeEntry_isItsBytes() {
        StoreEntry entry = entry("train/ü/a %+.bin");

        ByteBuffer read = store.read(entry).block();

        assertThat(entry.size()).isEqualTo(bytes.length);
        assertThat(array(read)).isEqualTo(bytes);
    }

    @Test
    void read_range_isThoseBytesAlone() {
        StoreEntry entry = entry("train/ü/a %+.bin");

        for (int[] range : new int[][] {{0, 1}, {1, 300_000}, {bytes.length - 5, 5}, {0, bytes.length}, {17, 0}}) {
            assertThat(array(store.read(entry, range[0], range[1]).block()))
                    .isEqualTo(Arrays.copyOfRange(bytes, range[0], range[0] + range[1]));
        }
    }

    @Test
    void read_rangeOutsideTheEntry_isRefused() {
        StoreEntry entry = entry("small.bin");

        for (long[] range : new long[][] {{-1, 1}, {0, 1001}, {1000, 1}, {Long.MAX_VALUE, 2}}) {
            assertThatThrownBy(() -> store.read(entry, range[0], (int) range[1]))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void read_emptyEntry_isEmpty() {
        assertThat(store.read(entry("empty")).block().remaining()).isZero();
        assertThat(store.find("empty", 10).block().remaining()).isZero();
    }

    @Test
    void read_withoutSubscription_sendsNothing() {
        StoreEntry entry = entry("small.bin");
        long before = server.requests();

        Mono<ByteBuffer> read = store.read(entry);

        assertThat(server.requests()).isEqualTo(before);
        assertThat(read.block()).isNotNull();
        assertThat(server.requests()).isEqualTo(before + 1);
    }

    @Test
    void read_manyOneAfterTheOther_shareConnections() {
        StoreEntry entry = entry("small.bin");

        for (int i = 0; i < 50; i++) {
            store.read(entry, i, 7).block();
        }

        assertThat(server.connections()).isLessThan(4);
    }

    @Test
    void entry_missingOrFolder_isEmpty() {
        assertThat(store.entry("nothing").blockOptional(SOON)).isEmpty();
        assertThat(store.entry("train").blockOptional(SOON)).isEmpty();
        assertThat(store.find("train/nothing", 10).blockOptional(SOON)).isEmpty();
    }

    @Test
    void find_present_isItsBytes() {
        assertThat(array(store.find("small.bin", 1000).block())).isEqualTo(Arrays.copyOf(bytes, 1000));
    }

    @Test
    void find_moreThanBelieved_isRefused() {
        assertThatThrownBy(() -> store.find("small.bin", 999).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("GET " + server.address() + "small.bin failed on attempt 1 of 8")
                .hasMessageContaining("has 1000 bytes, at most 999 are allowed");
    }

    @Test
    void read_largerThanAllowed_isRefusedUnasked() {
        StoreEntry entry = entry("small.bin");
        try (HttpStore small =
                HttpStore.at(server.address(), HttpOptions.standard().maxObjectBytes(999))) {
            long before = server.requests();

            assertThatThrownBy(() -> small.read(entry).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("at most 999 bytes are allowed, it has 1000; read ranges");
            assertThat(server.requests()).isEqualTo(before);
            assertThat(small.read(entry, 1, 999).block().remaining()).isEqualTo(999);
        }
    }

    @Test
    void read_changedSinceListed_isRefusedAtOnce() throws IOException {
        StoreEntry entry = entry("small.bin");
        Files.write(folder.resolve("small.bin"), new byte[1000]);
        Files.setLastModifiedTime(folder.resolve("small.bin"), FileTime.fromMillis(1_000_000));

        assertThatThrownBy(() -> store.read(entry).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("attempt 1 of 8")
                .hasMessageContaining("changed since it was listed: had 1000 bytes, now has ETag");
        assertThatThrownBy(() -> store.read(entry, 10, 10).block()).hasMessageContaining("changed since");
    }

    @Test
    void read_goneSinceListed_isRefused() throws IOException {
        StoreEntry entry = entry("small.bin");
        Files.delete(folder.resolve("small.bin"));

        assertThatThrownBy(() -> store.read(entry).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("now is gone; open the data again");
    }

    @Test
    void entry_sameBytesTwice_hasOneVersion() throws IOException {
        StoreEntry first = entry("small.bin");
        Files.setLastModifiedTime(folder.resolve("small.bin"), FileTime.fromMillis(1_000_000));

        StoreEntry second = entry("small.bin");

        assertThat(entry("small.bin")).isEqualTo(second);
        assertThat(second.version()).isNotEqualTo(first.version()).isNotZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../secret",
                "a/../../secret",
                "/etc/passwd",
                "//host/x",
                "a//b",
                "http://host/x",
                "https:x",
                "",
                "a\\..\\b",
                "%2e%2e/secret",
                "%252e%252e/secret",
                "a%2fb/%2e%2e/c",
                "..%5csecret",
                "a\u0000b",
                "a\nb",
                ".",
                "a/.",
                "a/",
                "file:x",
                "\ud800"
            })
    void keys_thatLeaveTheBase_areRefusedUnasked(String key) {
        long before = server.requests();

        assertThatThrownBy(() -> store.find(key, 10).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("key must be a path below " + server.address());
        assertThatThrownBy(() -> store.entry(key).block()).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.read(new StoreEntry(key, 1, 1)).block()).isInstanceOf(StoreException.class);
        assertThat(server.requests()).isEqualTo(before);
    }

    @Test
    void list_withoutManifest_saysWhatToDo() {
        assertThatThrownBy(() -> store.list((key, size, version) -> {}))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("HTTP has no lists; name a manifest");
    }

    @Test
    void list_withManifest_tellsWhatItNames() {
        try (TestServer listing = TestServer.withManifest(folder, 0);
                HttpStore listed =
                        HttpStore.ofManifest(listing.address().resolve("manifest.jsonl"), HttpOptions.standard())) {
            List<StoreEntry> entries = new ArrayList<>();

            listed.list((key, size, version) -> entries.add(new StoreEntry(key, size, version)));

            assertThat(listing.requests()).isEqualTo(1);
            assertThat(entries)
                    .extracting(StoreEntry::key)
                    .containsExactlyInAnyOrder("empty", "small.bin", "train/ü/a %+.bin");
            for (StoreEntry entry : entries) {
                assertThat(listed.read(entry).block().remaining()).isEqualTo((int) entry.size());
            }
        }
    }

    @Test
    void read_ofOtherBytesThanTheManifestSums_isRefused() throws IOException {
        try (TestServer listing = TestServer.withManifest(folder, 0);
                HttpStore listed = HttpStore.at(
                                listing.address(),
                                HttpOptions.standard().attempts(2, SOON).backoff(Duration.ofMillis(1), SOON))
                        .manifest("manifest.jsonl")) {
            List<StoreEntry> entries = new ArrayList<>();
            listed.list((key, size, version) -> entries.add(new StoreEntry(key, size, version)));
            Files.write(folder.resolve("small.bin"), new byte[1000]);

            assertThatThrownBy(() -> listed.read(entries.get(1)).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("small.bin failed on attempt 2 of 2")
                    .hasMessageContaining("do not match the checksum");
        }
    }

    @Test
    void addresses_thatAreNone_areRefused() {
        for (String address : List.of(
                "ftp://host/",
                "file:/x",
                "host/x",
                "http:///x",
                "http://h/#f",
                "http://h:70000/",
                "http://h:0/",
                "http://h:-1/")) {
            assertThatThrownBy(() -> HttpStore.at(URI.create(address))).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(HttpStore.at(URI.create("HTTP://Host:80/a/./b")).location()).isEqualTo("http://host/a/b/");
    }
}
