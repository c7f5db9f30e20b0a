package io.penstock.zarr;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.kit.CountingStore;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** Chunks are decoded while the rows of others are delivered: {@code u8[48, 4]} in chunks of {@code [4, 2]}. */
class ZarrAheadTest {

    private static final int CHUNKS = 12;
    private static final int ROWS = 4;
    private static final int OPEN = 3;
    private static final int CHUNK_BYTES = 8;

    private final CountingStore store = new CountingStore();

    ZarrAheadTest() {
        store.put(
                "a/.zarray",
                ("{\"zarr_format\":2,\"shape\":[%d,4],\"chunks\":[%d,2],\"dtype\":\"|u1\",\"order\":\"C\","
                                + "\"compressor\":null,\"filters\":null,\"fill_value\":0}")
                        .formatted(CHUNKS * ROWS, ROWS));
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            store.put("a/" + chunk + ".0", new byte[CHUNK_BYTES]);
            store.put("a/" + chunk + ".1", new byte[CHUNK_BYTES]);
        }
    }

    private ZarrArray array() {
        return Objects.requireNonNull(ZarrArray.open(store, "a").block());
    }

    /** What a chunk takes is known once one was read. */
    private <T> Dataset<T> begun(Dataset<T> dataset) {
        Objects.requireNonNull(dataset.get(0).block());
        store.asked();
        return dataset;
    }

    private Set<String> chunksAsked() {
        Set<String> chunks = new TreeSet<>();
        store.asked().forEach(ask -> chunks.add(ask.split("[ :]", 2)[0]));
        return chunks;
    }

    @Test
    void prefetch_ofRows_readsTheirChunksOnceAndNoOther() {
        Dataset<Tensor> rows = begun(array().rows());

        rows.prefetch(new long[] {4, 7, 20, 21, 0}).block();

        assertThat(chunksAsked()).containsExactly("a/1.0", "a/1.1", "a/5.0", "a/5.1");
        StepVerifier.create(rows.get(5)).expectNextCount(1).verifyComplete();
        rows.prefetch(new long[] {5, 22}).block();
        assertThat(store.asked()).isEmpty();
    }

    @Test
    void prefetch_ofWindows_readsTheChunksThatTheyTouch() {
        Dataset<Tensor> windows = begun(array().windows(Shape.of(4, 2), Shape.of(2, 1)));

        windows.prefetch(new long[] {windows.size() - 2}).block(); // its last two columns but one, over two chunks

        assertThat(chunksAsked()).containsExactly("a/11.0", "a/11.1");
    }

    @Test
    void prefetch_ofMoreThanFitsBesideTheOpenOnes_readsNothing() {
        Dataset<Tensor> rows = begun(array().chunkCacheBytes(1).rows());

        rows.prefetch(new long[] {4, 20}).block();

        assertThat(store.asked()).isEmpty();
    }

    @Test
    void prefetch_beforeDemand_readsNothing() {
        Dataset<Tensor> rows = begun(array().rows());

        StepVerifier.create(rows.prefetch(new long[] {4}), 0)
                .expectSubscription()
                .thenCancel()
                .verify();
        rows.prefetch(new long[] {4});

        assertThat(store.asked()).isEmpty();
    }

    @Test
    void prefetch_ofAChunkThatIsCut_isNoErrorAndTheRowTells() {
        store.put("a/5.1", new byte[3]);
        Dataset<Tensor> rows = begun(array().rows());

        rows.prefetch(new long[] {20, 24}).block();

        assertThat(chunksAsked()).containsExactly("a/5.0", "a/5.1", "a/6.0", "a/6.1");
        StepVerifier.create(rows.get(22))
                .verifyErrorSatisfies(e -> assertThat(e).hasMessageContaining("a/5.1"));
    }

    @Test
    void stream_inWindows_readsTheNextChunksBesideTheFirstRow() {
        Sampler sampler = Sampler.windowed(3, ROWS, OPEN);
        Draws draws = sampler.draws(CHUNKS * ROWS);
        Set<String> next = new TreeSet<>();
        LongStream.range(OPEN * ROWS, 2 * OPEN * ROWS).forEach(number -> {
            long chunk = draws.at(number).index() / ROWS;
            next.add("a/" + chunk + ".0");
            next.add("a/" + chunk + ".1");
        });
        Dataset<Tensor> rows = begun(array().rows());

        StepVerifier.create(rows.stream(sampler, Execution.standard().inFlight(1)), 1)
                .expectNextCount(1)
                .then(() -> awaitReadsOf(next))
                .thenCancel()
                .verify();
    }

    private void awaitReadsOf(Set<String> chunks) {
        Set<String> asked = new TreeSet<>();
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!asked.containsAll(chunks) && System.nanoTime() < deadline) {
            asked.addAll(chunksAsked());
            Thread.onSpinWait();
        }
        assertThat(asked).containsAll(chunks);
    }
}
