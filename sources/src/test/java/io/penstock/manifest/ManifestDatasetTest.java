package io.penstock.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.folder.LabelledFile;
import io.penstock.pipeline.Dataset;
import io.penstock.store.FileStore;
import io.penstock.store.Manifest;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.HttpStore;
import io.penstock.store.http.TestServer;
import io.penstock.store.mirror.MirroredStore;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestDatasetTest extends DatasetKit<LabelledFile> {

    private static final List<String> KEYS = List.of("cat/1.bin", "cat/2.bin", "dog/0.bin", "dog/ü.bin");

    @TempDir
    private Path folder;

    private TestServer server;

    @BeforeEach
    void serve() throws IOException {
        for (String key : KEYS) {
            Path file = folder.resolve(key);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "bytes of " + key);
        }
        server = TestServer.withManifest(folder, 0);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Override
    protected Dataset<LabelledFile> open() {
        return ManifestDataset.open(server.address().resolve("manifest.jsonl"));
    }

    @Override
    protected LabelledFile expected(long index) {
        String key = KEYS.get((int) index);
        byte[] bytes = ("bytes of " + key).getBytes(StandardCharsets.UTF_8);
        return new LabelledFile(
                key,
                Tensor.of(DType.U8, Shape.of(bytes.length), ByteBuffer.wrap(bytes)),
                key.startsWith("cat") ? 0 : 1);
    }

    @Override
    protected void change(long index) throws IOException {
        int port = server.address().getPort();
        server.close();
        Files.writeString(folder.resolve(KEYS.get((int) index)), "other bytes");
        server = TestServer.withManifest(folder, port);
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private ManifestDataset local(String manifest) {
        return ManifestDataset.of(FileStore.open(folder), Manifest.parse("made.jsonl", text(manifest)));
    }

    @Test
    void epoch_overHttp_fetchesTheManifestOnce() {
        Dataset<LabelledFile> dataset = open();

        for (int index = 0; index < 4; index++) {
            dataset.get(index).block();
        }

        assertThat(server.requests()).isEqualTo(5);
        assertThat(((ManifestDataset) dataset).labels()).containsExactly("cat", "dog");
    }

    @Test
    void labels_thatAreNumbers_stay() {
        ManifestDataset dataset =
                local("{\"key\":\"cat/1.bin\",\"label\":7}\n\n{\"key\":\"dog/0.bin\",\"label\":0,\"more\":[{}]}");

        assertThat(dataset.get(0).block().label()).isEqualTo(7);
        assertThat(dataset.get(1).block().label()).isZero();
        assertThat(dataset.labels()).isEmpty();
    }

    @Test
    void labels_withHalfOfASurrogatePair_areRefused() {
        assertThatThrownBy(() -> local("{\"key\":\"a\",\"label\":\"x\\uD800\"}\n{\"key\":\"b\",\"label\":\"x?\"}"))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("half of a surrogate pair");
    }

    @Test
    void labels_ofTwoKinds_areRefused() {
        assertThatThrownBy(() -> local("{\"key\":\"a\",\"label\":7}\n{\"key\":\"b\",\"label\":\"x\"}"))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("a has a number, b has a word");
        assertThatThrownBy(() -> local("{\"key\":\"a\",\"label\":7}\n{\"key\":\"b\"}"))
                .hasMessageContaining("b has none");
    }

    @Test
    void get_ofOtherBytes_failsWithBothSums() {
        ManifestDataset sum = local("{\"key\":\"cat/1.bin\",\"checksum\":\"crc32c:00000000\"}");
        ManifestDataset size = local("{\"key\":\"cat/1.bin\",\"bytes\":3}");
        ManifestDataset gone = local("{\"key\":\"cat/9.bin\"}");

        assertThatThrownBy(() -> sum.get(0).block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("cat/1.bin in ")
                .hasMessageEndingWith(", not crc32c:00000000");
        assertThatThrownBy(() -> size.get(0).block()).hasMessageContaining("has 18 bytes, but made.jsonl says 3");
        assertThatThrownBy(() -> gone.get(0).block()).hasMessageContaining("although made.jsonl lists it");
    }

    @Test
    void get_overHttpOfOtherBytes_isAskedAgainAndRefused() throws IOException {
        URI manifest = server.address().resolve("manifest.jsonl");
        ManifestDataset dataset = ManifestDataset.open(
                manifest,
                HttpOptions.standard()
                        .attempts(3, Duration.ofSeconds(5))
                        .backoff(Duration.ofMillis(1), Duration.ofMillis(2)));
        Files.writeString(folder.resolve("cat/1.bin"), "bytes of dog/1.bin");

        assertThatThrownBy(() -> dataset.get(0).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cat/1.bin failed on attempt 3 of 3")
                .hasMessageContaining("checksum");
        assertThat(server.requests()).isEqualTo(4);
    }

    private ManifestDataset served(String manifest) throws IOException {
        Files.writeString(folder.resolve("lines.jsonl"), manifest);
        return ManifestDataset.open(server.address().resolve("lines.jsonl"));
    }

    private static final String UNSUMMED =
            "{\"key\":\"cat/1.bin\",\"label\":3}\n{\"key\":\"cat/2.bin\",\"bytes\":18,\"label\":4}\n";

    @Test
    void key_withoutChecksum_isOfTheFileAndNotOfOtherLines() throws IOException {
        ManifestDataset before = served(UNSUMMED);
        ManifestDataset longer = served(UNSUMMED + "{\"key\":\"dog/0.bin\",\"label\":5}\n");

        Files.writeString(folder.resolve("cat/1.bin"), "BYTES of cat/1.bin");
        Files.setLastModifiedTime(folder.resolve("cat/1.bin"), FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
        ManifestDataset replaced = served(UNSUMMED);

        assertThat(longer.id(0).key()).isEqualTo(before.id(0).key());
        assertThat(longer.id(1).key()).isEqualTo(before.id(1).key());
        assertThat(replaced.id(0).key()).isNotEqualTo(before.id(0).key());
        assertThat(replaced.id(1).key()).isEqualTo(before.id(1).key());
        assertThat(replaced.fingerprint()).isNotEqualTo(before.fingerprint());
        assertThat(replaced.get(0).block().bytes().data().get(0)).isEqualTo((byte) 'B');
        assertThatThrownBy(() -> before.get(0).block())
                .as("its key is of what was there before")
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cat/1.bin");
    }

    @Test
    void open_withChecksums_asksForTheManifestAlone() throws IOException {
        open();
        long ofSummed = server.requests();

        served(UNSUMMED);

        assertThat(ofSummed).isEqualTo(1);
        assertThat(server.requests() - ofSummed)
                .as("the manifest and two files")
                .isEqualTo(3);
    }

    /** A line of size and entity tag, as the server says them now. */
    private String tagged(String key) throws IOException, InterruptedException {
        HttpResponse<Void> head = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(server.address().resolve(key))
                                .method("HEAD", BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.discarding());
        return "{\"key\":\"%s\",\"bytes\":%s,\"etag\":\"%s\"}\n"
                .formatted(
                        key,
                        head.headers().firstValue("content-length").orElseThrow(),
                        head.headers().firstValue("etag").orElseThrow().replace("\"", "\\\""));
    }

    @Test
    void open_withEntityTags_asksForTheManifestAloneAndKeysAsTheServerWould() throws Exception {
        String tagged = tagged("cat/1.bin") + tagged("dog/0.bin");
        ManifestDataset asked = served("{\"key\":\"cat/1.bin\"}\n{\"key\":\"dog/0.bin\"}\n");
        long before = server.requests();

        ManifestDataset told = served(tagged);

        assertThat(server.requests() - before).isEqualTo(1);
        assertThat(told.id(0).key()).isEqualTo(asked.id(0).key());
        assertThat(told.id(1).key()).isEqualTo(asked.id(1).key());
        assertThat(told.get(1).block().bytes().toText()).isEqualTo("bytes of dog/0.bin");
        assertThat(server.requests() - before).isEqualTo(2);
    }

    @Test
    void get_ofAnotherEntityTag_isRefused() throws Exception {
        ManifestDataset told = served(tagged("cat/1.bin"));
        Files.writeString(folder.resolve("cat/1.bin"), "BYTES of cat/1.bin");
        Files.setLastModifiedTime(folder.resolve("cat/1.bin"), FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));

        assertThatThrownBy(() -> told.get(0).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cat/1.bin");
    }

    @Test
    void open_withEntityTagsOfAMirroredServer_asksForTheManifestAlone(@TempDir Path near) throws Exception {
        Files.writeString(folder.resolve("lines.jsonl"), tagged("cat/1.bin"));
        try (HttpStore far = HttpStore.at(server.address());
                MirroredStore mirror = MirroredStore.of(far, near)) {
            Manifest manifest = Manifest.open(far, "lines.jsonl");
            long before = server.requests();

            ManifestDataset told = ManifestDataset.of(mirror, manifest);

            assertThat(server.requests()).isEqualTo(before);
            assertThat(told.get(0).block().bytes().toText()).isEqualTo("bytes of cat/1.bin");
        }
    }

    @Test
    void keys_thatLeave_areRefused() {
        String sum = ",\"checksum\":\"crc32c:00000000\"";
        ManifestDataset summed = local("{\"key\":\"../secret\"%s}".formatted(sum));

        assertThatThrownBy(() -> summed.get(0).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("key must");
        assertThatThrownBy(() -> local("{\"key\":\"../secret\"}"))
                .as("its state is asked for when it is opened")
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("key must");
    }

    @Test
    void get_largerThanAllowed_isRefused() {
        assertThatThrownBy(() -> local("{\"key\":\"cat/1.bin\",\"bytes\":18}")
                        .maxFileBytes(17)
                        .get(0)
                        .block())
                .hasMessageContaining("at most 17 bytes, has 18; raise maxFileBytes");
    }
}
