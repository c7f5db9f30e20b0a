package io.penstock.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.output.OutputStore;
import io.penstock.output.UnfinishedOutput;
import io.penstock.store.http.HttpOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

class S3OutputTest {

    private static final int PART = 128 << 10;
    private static final HttpOptions QUICK =
            HttpOptions.standard().backoff(Duration.ofMillis(1), Duration.ofMillis(20));

    @SuppressWarnings("NullAway.Init")
    private S3Server server;

    @SuppressWarnings("NullAway.Init")
    private OutputStore place;

    @BeforeEach
    void start() throws IOException {
        server = S3Server.start();
        server.uploads.smallest = PART;
        place = open("set");
    }

    @AfterEach
    void stop() {
        place.close();
        server.close();
    }

    private OutputStore open(String prefix) {
        return S3Store.at(server.address(prefix), QUICK, StaticCredentialsProvider.create(S3Server.KEYS))
                .outputs()
                .partBytes(PART);
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 70_000, PART, PART + 1, 3 * PART - 5, 6 * PART})
    void finish_anySize_isTheObject(int size) throws IOException {
        byte[] bytes = random(size);

        try (UnfinishedOutput output = place.open("a b.bin")) {
            for (int at = 0; at < size; at += 100_000) {
                output.append(ByteBuffer.wrap(bytes, at, Math.min(100_000, size - at)));
            }
            assertThat(server.objects).isEmpty();
            assertThat(output.size()).isEqualTo(size);
            output.finish();
        }

        assertThat(server.objects).containsOnlyKeys("set/a b.bin");
        assertThat(server.objects.get("set/a b.bin")).isEqualTo(bytes);
        assertThat(server.uploads.open).isEmpty();
        assertThat(server.uploads.aborted).hasValue(0);
        assertThat(place.names()).containsExactly("a b.bin");
        assertThat(place.has("a b.bin")).isTrue();
        assertThat(place.has("a")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {70_000, 2 * PART})
    void writeStart_beforeTheEnd_isInTheObject(int size) throws IOException {
        byte[] bytes = random(size);
        try (UnfinishedOutput output = place.open("rows.npy")) {
            output.append(ByteBuffer.wrap(bytes));
            output.writeStart(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            output.append(ByteBuffer.wrap(new byte[] {4}));
            output.finish();
        }

        byte[] there = server.objects.get("set/rows.npy");
        assertThat(there).hasSize(size + 1).startsWith(1, 2, 3, bytes[3]).endsWith(bytes[size - 1], 4);
    }

    @Test
    void close_beforeTheEnd_abortsTheUpload() throws IOException {
        UnfinishedOutput output = place.open("x");
        output.append(ByteBuffer.wrap(random(3 * PART)));
        output.close();

        assertThat(server.objects).isEmpty();
        assertThat(server.uploads.begun).hasValue(1);
        assertThat(server.uploads.aborted).hasValue(1);
        assertThat(server.uploads.open).isEmpty();
        assertThatThrownBy(() -> output.append(ByteBuffer.allocate(1))).hasMessageContaining("closed");
        assertThatThrownBy(output::finish).hasMessageContaining("closed");
    }

    @Test
    void close_ofThePlace_abortsAllUploads() throws IOException {
        for (String name : new String[] {"x", "y"}) {
            place.open(name).append(ByteBuffer.wrap(random(3 * PART)));
        }
        place.close();

        assertThat(server.uploads.aborted).hasValue(2);
        assertThat(server.uploads.open).isEmpty();
    }

    /** A writer that waits because parts are slow must not wait for ever when its subscriber has gone. */
    @Test
    void close_whileAWriterWaits_endsTheWait() throws Exception {
        server.uploads.answers = new CountDownLatch(1);
        UnfinishedOutput output = place.open("x");
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
            try {
                output.append(ByteBuffer.wrap(random(10 * PART)));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        while (server.uploads.begun.get() == 0) {
            Thread.onSpinWait();
        }
        output.close();
        server.uploads.answers.countDown();

        assertThat(writing)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("closed");
        assertThat(server.objects).isEmpty();
        assertThat(server.uploads.open).isEmpty();
    }

    @Test
    void finish_underFaults_isTheObject() throws IOException {
        byte[] bytes = random(5 * PART);
        server.faults(number -> switch (number % 3) {
            case 0 -> S3Server.Fault.SLOW_DOWN;
            case 1 -> S3Server.Fault.RESET;
            default -> S3Server.Fault.NONE;
        });
        try (UnfinishedOutput output = place.open("x")) {
            output.append(ByteBuffer.wrap(bytes));
            output.finish();
        }

        assertThat(server.objects.get("set/x")).isEqualTo(bytes);
    }

    @Test
    void finish_whoseAnswerIsLost_isDone() throws IOException {
        AtomicBoolean lost = new AtomicBoolean();
        server.uploads.loses =
                (method, query) -> method.equals("POST") && query.containsKey("uploadId") && !lost.getAndSet(true);
        try (UnfinishedOutput output = place.open("x")) {
            output.append(ByteBuffer.wrap(random(2 * PART)));
            output.finish();
        }

        assertThat(lost).isTrue();
        assertThat(server.objects.get("set/x")).hasSize(2 * PART);
    }

    @Test
    void finish_afterAnAbortElsewhere_fails() throws IOException {
        try (UnfinishedOutput output = place.open("x")) {
            output.append(ByteBuffer.wrap(random(2 * PART)));
            assertThat(server.uploads.begun).as("before a second part is full").hasValue(0);
            output.append(ByteBuffer.wrap(random(1)));
            server.uploads.open.clear();

            assertThatThrownBy(output::finish).hasMessageContaining("NoSuchUpload");
        }
        assertThat(server.objects).isEmpty();
    }

    @Test
    void wrongKeys_areNamed() {
        OutputStore wrong = S3Store.at(
                        server.address("set"),
                        QUICK,
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("key", "other")))
                .output();

        assertThatThrownBy(() -> {
                    try (UnfinishedOutput output = wrong.open("x")) {
                        output.append(ByteBuffer.allocate(3));
                        output.finish();
                    }
                })
                .hasMessageContaining("PUT " + server.endpoint() + "/data/set/x failed")
                .hasMessageContaining("SignatureDoesNotMatch");
        wrong.close();
    }

    @Test
    void find_isBounded() throws IOException {
        server.objects.putAll(Map.of("set/plan.json", new byte[100], "set/deep/er", new byte[1]));

        assertThat(place.find("plan.json", 100).orElseThrow()).hasSize(100);
        assertThat(place.find("none", 100)).isEmpty();
        assertThatThrownBy(() -> place.find("plan.json", 99)).hasMessageContaining("at most 99 are allowed");
        assertThat(place.names()).containsExactly("plan.json");
    }
}
