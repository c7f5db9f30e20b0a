package io.penstock.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.output.OutputStore;
import io.penstock.output.UnfinishedOutput;
import io.penstock.store.StoreEntry;
import io.penstock.store.http.HttpOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;

/** Against a server that others wrote and that checks signatures: s3proxy, whose buckets lie in memory. */
class S3ProxyTest {

    private static final String BUCKET = "photos";
    private static final HttpOptions QUICK =
            HttpOptions.standard().backoff(Duration.ofMillis(1), Duration.ofMillis(20));

    @SuppressWarnings("NullAway.Init")
    private static S3Proxy server;

    @SuppressWarnings("NullAway.Init")
    private static TransientNio2BlobStore blobs;

    private String prefix = "";

    @BeforeAll
    static void start() throws Exception {
        blobs = new TransientNio2BlobStore();
        server = S3Proxy.builder()
                .blobStore(blobs)
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V4, "key", "secret")
                .build();
        server.start();
        blobs.createContainer(BUCKET);
    }

    @AfterAll
    static void stop() throws Exception {
        server.stop();
        blobs.close();
    }

    @BeforeEach
    void name(TestInfo test) {
        prefix = test.getTestMethod().orElseThrow().getName();
    }

    private S3Store open(String bucket, String secret) {
        Map<String, String> options = Map.of("endpoint", "http://127.0.0.1:" + server.getPort());
        return S3Store.at(
                new S3Address(bucket, prefix, options),
                QUICK,
                StaticCredentialsProvider.create(AwsBasicCredentials.create("key", secret)));
    }

    private S3Store open() {
        return open(BUCKET, "secret");
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static void write(OutputStore place, String name, byte[] bytes) throws IOException {
        try (UnfinishedOutput output = place.open(name)) {
            output.append(ByteBuffer.wrap(bytes));
            output.finish();
        }
    }

    private static List<StoreEntry> list(S3Store store) {
        List<StoreEntry> entries = new ArrayList<>();
        store.list((key, size, version) -> entries.add(new StoreEntry(key, size, version)));
        return entries;
    }

    @Test
    void list_moreThanAPage_hasEachObjectOnce() {
        for (int i = 0; i < 1100; i++) {
            PutObjectRequest put = PutObjectRequest.builder()
                    .bucket(BUCKET)
                    .key("%s/flat-%d ä+.bin".formatted(prefix, i))
                    .contentLength((long) i % 7)
                    .build();
            blobs.putBlob(put, new ByteArrayInputStream(new byte[i % 7]));
        }

        List<StoreEntry> entries = list(open());

        assertThat(entries).hasSize(1100).doesNotHaveDuplicates();
        assertThat(open().output().names()).hasSize(1100).contains("flat-7 ä+.bin");
        assertThat(entries).allMatch(entry -> entry.size() < 7);
        assertThat(open().entry("flat-6 ä+.bin").block()).isIn(entries);
    }

    @Test
    void read_partsAndWhole_areTheBytes() throws IOException {
        byte[] bytes = random(100_000);
        S3Store store = open();
        write(store.output(), "deep/er/a b#?.bin", bytes);
        StoreEntry entry = list(store).get(0);

        assertThat(store.read(entry).block()).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(store.read(entry, 99_990, 10).block()).isEqualTo(ByteBuffer.wrap(bytes, 99_990, 10));
        assertThat(store.read(entry, 5, 1).block()).isEqualTo(ByteBuffer.wrap(bytes, 5, 1));
        assertThat(store.find("nothing", 10).block()).isNull();
        write(store.output(), "deep/er/a b#?.bin", random(99_999));
        assertThatThrownBy(() -> store.read(entry).block()).hasMessageContaining("changed since it was listed");
    }

    @Test
    void output_ofManyParts_isOneObject() throws IOException {
        byte[] bytes = random((5 << 20) * 3 + 17);
        S3Store store = open();
        write(store.outputs().partBytes(5 << 20), "large.bin", bytes);

        StoreEntry entry = Objects.requireNonNull(store.entry("large.bin").block());
        assertThat(entry.size()).isEqualTo(bytes.length);
        assertThat(list(store)).containsExactly(entry);
        assertThat(store.read(entry).block()).isEqualTo(ByteBuffer.wrap(bytes));
    }

    @Test
    void output_thatIsGivenUp_isNoObject() throws IOException {
        S3Store store = open();
        try (UnfinishedOutput output = store.outputs().partBytes(5 << 20).open("large.bin")) {
            output.append(ByteBuffer.wrap(random(11 << 20)));
        }

        assertThat(list(store)).isEmpty();
        assertThat(blobs.listMultipartUploads(BUCKET)).isEmpty();
    }

    @Test
    void wrongBucketAndSecret_areNamed() {
        assertThatThrownBy(() -> list(open("nothere", "secret"))).hasMessageContaining("NoSuchBucket");
        assertThatThrownBy(() -> list(open(BUCKET, "wrong"))).hasMessageContaining("SignatureDoesNotMatch");
    }
}
