package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.manifest.ManifestDataset;
import io.penstock.records.RecordFiles;
import io.penstock.store.StoreEntry;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Addresses with a signature in their query, as Azure's SAS: it is sent with each request, and told to nobody. */
class SignedAddressTest {

    private static final String SIGNATURE = "sv=2025-01-05&sp=r&sig=7hT%2FaB%2Bc%3D";
    private static final HttpOptions QUICK = HttpOptions.standard()
            .attempts(2, Duration.ofSeconds(5))
            .backoff(Duration.ofMillis(1), Duration.ofMillis(2));

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private TestServer server;

    @BeforeEach
    void serve() throws IOException {
        Files.createDirectories(folder.resolve("set"));
        Files.write(folder.resolve("set/a b.bin"), new byte[] {1, 2, 3, 4});
        server = TestServer.withManifest(folder, 0).demanding(SIGNATURE);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpStore open(String query) {
        return HttpStore.at(URI.create(server.address() + "set?" + query), QUICK);
    }

    @Test
    void reads_ofASignedAddress_sendItEachTime() {
        try (HttpStore store = open(SIGNATURE)) {
            StoreEntry entry = Objects.requireNonNull(store.entry("a b.bin").block());

            assertThat(store.read(entry).block()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
            assertThat(store.read(entry, 1, 2).block()).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3}));
            assertThat(store.find("a b.bin", 10).block()).isNotNull();
            assertThat(store.find("none", 10).block()).isNull();
        }
    }

    @Test
    void manifest_ofASignedAddress_signsWhatItNames() {
        URI manifest = URI.create(server.address() + "manifest.jsonl?" + SIGNATURE);

        ManifestDataset files = ManifestDataset.open(manifest, QUICK);

        assertThat(files.size()).isEqualTo(1);
        assertThat(Objects.requireNonNull(files.get(0).block()).bytes().toByteArray())
                .containsExactly(1, 2, 3, 4);
        assertThat(files.name(0)).doesNotContain("sig");
    }

    /** The signature ends and is made anew; the data stays the same. */
    @Test
    void keys_andTheLocation_areThoseOfTheAddressAlone() {
        RecordFiles first = RecordFiles.open(open(SIGNATURE), "a b.bin", 2);
        String other = SIGNATURE + "&se=2027";
        server.demanding(other);
        RecordFiles second = RecordFiles.open(open(other), "a b.bin", 2);

        assertThat(second.fingerprint()).isEqualTo(first.fingerprint());
        assertThat(second.id(1).key()).isEqualTo(first.id(1).key());
        assertThat(open(SIGNATURE).location()).isEqualTo(server.address() + "set/");
        assertThat(open(SIGNATURE)).hasToString(server.address() + "set/");
    }

    @Test
    void refusals_sayWhyWithoutTheSignature() {
        HttpStore store = open("sig=wrong-secret");
        StoreEntry entry = new StoreEntry("a b.bin", 4, 0);

        for (var read : List.of(store.read(entry), store.read(entry, 1, 2), store.find("a b.bin", 9))) {
            assertThatThrownBy(read::block)
                    .hasMessageContaining("GET " + server.address() + "set/a%20b.bin?… failed")
                    .hasMessageContaining("403 (AuthenticationFailed: Server failed to authenticate the request.)")
                    .hasMessageContaining("check the signature in the query of the address, and when it ends")
                    .hasMessageNotContaining("secret")
                    .satisfies(thrown ->
                            assertThat(String.valueOf(thrown.getCause())).doesNotContain("secret"));
        }
        assertThatThrownBy(() -> store.entry("a b.bin").block())
                .hasMessageContaining("HEAD " + server.address() + "set/a%20b.bin?… failed")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> HttpStore.at(URI.create("http://h/a?sig=secret#f")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }
}
