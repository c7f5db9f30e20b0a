package io.penstock.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class TarWriterTest {

    private static final TarWriter<Tensor> WRITER = TarWriter.of(Schema.tensor("v"));

    @TempDir
    private Path folder;

    private static Flux<Sample<Tensor>> numbers(int size) {
        return Numbers.of(size).stream(Sampler.sequential());
    }

    @Test
    void shards_ofSamples_holdSoManyEach() throws IOException {
        StepVerifier.create(numbers(25).as(WRITER.shards(folder, 10)), 0)
                .expectSubscription()
                .thenRequest(1)
                .assertNext(written -> assertThat(written.samples()).isEqualTo(10))
                .thenRequest(9)
                .assertNext(written -> assertThat(written.samples()).isEqualTo(10))
                .expectNextMatches(written -> written.samples() == 5
                        && written.location()
                                .equals(folder.resolve("shard-000002.tar").toString())
                        && written.bytes()
                                == Path.of(written.location()).toFile().length())
                .verifyComplete();

        assertThat(TarContents.of(folder.resolve("shard-000002.tar")))
                .hasSize(5)
                .containsEntry(
                        "000000024.v.npy",
                        Npy.encode(Tensor.ofLongs(new long[] {24, -24})).toByteArray());
    }

    @Test
    void shards_whenTheLastIsFull_addNoEmptyOne() {
        StepVerifier.create(numbers(20).as(WRITER.shards(folder, 10)))
                .expectNextCount(2)
                .verifyComplete();
        StepVerifier.create(numbers(0).as(WRITER.file(folder.resolve("none.tar"))))
                .expectNextMatches(written -> written.samples() == 0)
                .verifyComplete();

        assertThat(folder).isDirectoryNotContaining("glob:**000002*").isDirectoryContaining("glob:**none.tar");
    }

    @Test
    void file_ofTheSameSamples_hasTheSameBytes() throws IOException {
        numbers(7).as(WRITER.file(folder.resolve("a.tar"))).block();
        numbers(7).as(WRITER.file(folder.resolve("b.tar"))).block();

        assertThat(folder.resolve("a.tar")).hasSameBinaryContentAs(folder.resolve("b.tar"));
    }

    @Test
    void file_ofPartsAndKeysOfOnesOwn_hasThem() throws IOException {
        String name = "täglich/" + "long".repeat(60);
        TarWriter<Tensor> writer = TarWriter.<Tensor>ofParts(v -> Map.of("cls", Tensor.utf8(v.longAt(0) + "")))
                .keys(sample -> name + sample.draw().index());

        numbers(2).as(writer.file(folder.resolve("own.tar"))).block();

        assertThat(TarContents.of(folder.resolve("own.tar")))
                .containsOnlyKeys(name + "0.cls", name + "1.cls")
                .containsEntry(name + "1.cls", new byte[] {'1'});
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/etc/x", "a/../b", "..", "a.b", "a//b", "x/", "__meta"})
    void file_ofAKeyThatNoArchiveShouldHave_isRefused(String key) {
        Mono<Written> writing = numbers(1).as(WRITER.keys(sample -> key).file(folder.resolve("x.tar")));

        StepVerifier.create(writing)
                .verifyErrorMessage(
                        "the key of a tar sample must be a relative path without a dot in its last part, sample 0 has \"%s\""
                                .formatted(key));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void file_ofOneKeyTwice_isRefused() {
        Path file = folder.resolve("x.tar");

        StepVerifier.create(numbers(2).as(WRITER.keys(sample -> "same").file(file)))
                .verifyErrorMessage("two samples of %s have the key \"same\"; give each its own".formatted(file));
        StepVerifier.create(numbers(1)
                        .as(TarWriter.<Tensor>ofParts(v -> Map.of("A", Tensor.utf8("")))
                                .file(file)))
                .verifyErrorMessage("a part's extension must be of a-z, 0-9, _, - and dots between, sample"
                        + " \"000000000\" has \"A\"");
        StepVerifier.create(numbers(1)
                        .as(TarWriter.<Tensor>ofParts(v -> Map.of("a", v)).file(file)))
                .verifyErrorMessage("the bytes of part \"a\" of sample \"000000000\" must be u8[n], were i64[2]");
        assertThatThrownBy(() -> WRITER.shards(folder, 0)).hasMessage("a shard must have at least 1 sample, was 0");
    }

    @Test
    void file_cancelled_leavesNothingAndStopsUpstream() throws InterruptedException {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Flux<Sample<Tensor>> endless = numbers(1).concatWith(Mono.never()).doOnCancel(stopped::countDown);
        TarWriter<Tensor> writer = WRITER.keys(sample -> {
            writing.countDown();
            return "a";
        });

        Disposable run = endless.as(writer.file(folder.resolve("x.tar"))).subscribe();
        assertThat(writing.await(300, TimeUnit.SECONDS)).isTrue();
        run.dispose();

        assertThat(stopped.await(300, TimeUnit.SECONDS)).isTrue();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (isThere(folder) && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(folder).isEmptyDirectory();
    }

    private static boolean isThere(Path folder) {
        String[] names = folder.toFile().list();
        return names != null && names.length > 0;
    }
}
