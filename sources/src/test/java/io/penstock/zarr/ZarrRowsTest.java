package io.penstock.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.SampleKey;
import io.penstock.kit.CountingStore;
import io.penstock.kit.HeldTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Rows of {@code u8[6, 2]} in chunks of {@code [2, 2]}, so that two rows share each. */
class ZarrRowsTest extends DatasetKit<Tensor> {

    private static final int ROWS = 6;

    private final CountingStore store = new CountingStore();

    ZarrRowsTest() {
        metadata(ROWS);
        for (int chunk = 0; chunk < ROWS / 2; chunk++) {
            byte first = (byte) (4 * chunk);
            store.put("a/" + chunk + ".0", first, (byte) (first + 1), (byte) (first + 2), (byte) (first + 3));
        }
    }

    private void metadata(int rows) {
        store.put(
                "a/.zarray",
                ("{\"zarr_format\":2,\"shape\":[%d,2],\"chunks\":[2,2],\"dtype\":\"|u1\",\"order\":\"C\","
                                + "\"compressor\":null,\"filters\":null,\"fill_value\":0}")
                        .formatted(rows));
    }

    private ZarrArray array() {
        return Objects.requireNonNull(ZarrArray.open(store, "a").block());
    }

    @Override
    protected Dataset<Tensor> open() {
        return Objects.requireNonNull(array().checkingChunks().block()).rows();
    }

    @Override
    protected Tensor expected(long index) {
        return Tensor.ofBytes(new byte[] {(byte) (2 * index), (byte) (2 * index + 1)});
    }

    @Override
    protected void change(long index) {
        store.put("a/" + index / 2 + ".0", (byte) 9, (byte) 9, (byte) 9, (byte) 9);
    }

    @Override
    protected boolean share(long one, long other) {
        return one / 2 == other / 2;
    }

    /** Windows of two rows and one column, each in one chunk. */
    @Nested
    class Windows extends DatasetKit<Tensor> {
        @Override
        protected Dataset<Tensor> open() {
            return Objects.requireNonNull(array().checkingChunks().block()).windows(Shape.of(2, 1), Shape.of(2, 1));
        }

        @Override
        protected Tensor expected(long index) {
            byte first = (byte) (index / 2 * 4 + index % 2);
            return Tensor.ofBytes(new byte[] {first, (byte) (first + 2)}, 2, 1);
        }

        @Override
        protected void change(long index) {
            ZarrRowsTest.this.change(index);
        }

        @Override
        protected boolean share(long one, long other) {
            return one / 2 == other / 2;
        }
    }

    @Nested
    class Chunks extends DatasetKit<Tensor> {
        @Override
        protected Dataset<Tensor> open() {
            return Objects.requireNonNull(array().checkingChunks().block()).chunks();
        }

        @Override
        protected Tensor expected(long index) {
            byte first = (byte) (4 * index);
            return Tensor.ofBytes(new byte[] {first, (byte) (first + 1), (byte) (first + 2), (byte) (first + 3)}, 2, 2);
        }

        @Override
        protected void change(long index) {
            ZarrRowsTest.this.change(2 * index);
        }
    }

    /** Rows of chunks that a cache holds. */
    @Nested
    class RowsOverCache extends DatasetKit<Tensor> {
        @Override
        protected Dataset<Tensor> open() {
            ZarrArray array = Objects.requireNonNull(array().checkingChunks().block());
            return array.over(array.chunks().cache(new HeldTier(), Schema.tensor("chunk")))
                    .rows();
        }

        @Override
        protected Tensor expected(long index) {
            return ZarrRowsTest.this.expected(index);
        }

        @Override
        protected void change(long index) {
            ZarrRowsTest.this.change(index);
        }

        @Override
        protected boolean share(long one, long other) {
            return ZarrRowsTest.this.share(one, other);
        }
    }

    private static List<SampleKey> keys(Dataset<?> dataset) {
        List<SampleKey> keys = new ArrayList<>();
        for (long i = 0; i < dataset.size(); i++) {
            keys.add(dataset.id(i).key());
        }
        return keys;
    }

    @Test
    void windows_ofOneChunkOrBetweenChunks_areTheSameElements() {
        metadata(ROWS + 2); // the last chunk is not stored

        Dataset<Tensor> windows = array().windows(Shape.of(2, 2), Shape.of(1, 1));

        for (int i = 0; i + 1 < ROWS + 2; i++) {
            byte[] expected = new byte[4];
            for (int j = 0; j < expected.length; j++) {
                expected[j] = (byte) (2 * i + j < 2 * ROWS ? 2 * i + j : 0);
            }
            assertThat(windows.get(i).block()).isEqualTo(Tensor.ofBytes(expected, 2, 2));
        }
    }

    @Test
    void key_arrayThatGrew_staysForTheRowsItHad() {
        List<SampleKey> before = keys(array().rows());

        metadata(ROWS + 2);
        List<SampleKey> after = keys(array().rows());

        assertThat(after).hasSize(ROWS + 2).startsWith(before.toArray(SampleKey[]::new));
    }

    @Test
    void key_otherCodecs_isAnother() {
        List<SampleKey> before = keys(array().rows());

        store.put(
                "a/.zarray",
                "{\"zarr_format\":2,\"shape\":[6,2],\"chunks\":[2,2],\"dtype\":\"|i1\",\"order\":\"C\",\"compressor\":null,"
                        + "\"filters\":null,\"fill_value\":0}");
        List<SampleKey> after = keys(array().rows());

        assertThat(after).doesNotContainAnyElementsOf(before);
    }

    @Test
    void get_rowsOfOneChunkAtOnce_fetchItOnce() {
        Dataset<Tensor> rows = array().rows();
        store.asked();
        Sinks.Empty<Void> answers = store.close();

        Flux<Tensor> both = Flux.merge(rows.get(2), rows.get(3), rows.get(2));

        StepVerifier.create(both.collectList(), 1)
                .then(answers::tryEmitEmpty)
                .assertNext(
                        values -> assertThat(values).containsExactlyInAnyOrder(expected(2), expected(2), expected(3)))
                .verifyComplete();
        assertThat(store.asked()).containsExactly("a/1.0");
    }

    @Test
    void get_rowOfAChunkAtHand_isMadeOnTheCallersThread() {
        Dataset<Tensor> rows = array().rows();
        rows.get(4).block();

        Mono<Tensor> other = rows.get(5);

        assertThat(other).isInstanceOf(Callable.class);
        StepVerifier.create(other).expectNext(expected(5)).verifyComplete();
    }

    @Test
    void get_cancelledByAll_canBeAskedForAgain() {
        Dataset<Tensor> rows = array().rows();
        Sinks.Empty<Void> answers = store.close();
        Disposable first = rows.get(0).subscribe();
        Disposable second = rows.get(1).subscribe();

        first.dispose();
        second.dispose();
        answers.tryEmitEmpty();

        StepVerifier.create(rows.get(1)).expectNext(expected(1)).verifyComplete();
    }

    @Test
    void get_afterAFailedFetch_triesAgain() {
        store.put("a/0.0", (byte) 1);
        Dataset<Tensor> rows = array().rows();
        StepVerifier.create(rows.get(0)).verifyErrorMatches(e -> e.getMessage().contains("needs 4 bytes, came 1"));

        store.put("a/0.0", (byte) 0, (byte) 1, (byte) 2, (byte) 3);

        StepVerifier.create(rows.get(0)).expectNext(expected(0)).verifyComplete();
    }

    @Test
    void stream_shuffledWithinTheBudget_fetchesEachChunkOnce() {
        Dataset<Tensor> rows = array().rows();
        store.asked();

        List<Tensor> values = rows.stream(Sampler.shuffled(7))
                .map(sample -> sample.value())
                .collectList()
                .block();

        assertThat(values).hasSize(ROWS);
        assertThat(store.asked()).containsExactlyInAnyOrder("a/0.0", "a/1.0", "a/2.0");
    }

    @Test
    void rows_overCachedChunks_fetchNothingTheSecondTime() {
        HeldTier tier = new HeldTier();
        ZarrArray first = array();
        Dataset<Tensor> warm =
                first.over(first.chunks().cache(tier, Schema.tensor("chunk"))).rows();
        warm.stream(Sampler.sequential()).blockLast();
        store.asked();

        ZarrArray again = array();
        Dataset<Tensor> rows =
                again.over(again.chunks().cache(tier, Schema.tensor("chunk"))).rows();
        List<Tensor> values = rows.stream(Sampler.sequential())
                .map(sample -> sample.value())
                .collectList()
                .block();

        assertThat(values)
                .isEqualTo(List.of(expected(0), expected(1), expected(2), expected(3), expected(4), expected(5)));
        assertThat(store.asked()).isEmpty();
        assertThat(tier.held).hasSize(ROWS / 2);
        assertThat(keys(rows)).isEqualTo(keys(array().rows()));
    }

    @Test
    void over_datasetOfAnotherSize_isRefused() {
        ZarrArray array = array();

        assertThatThrownBy(() -> array.over(array.rows()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("array has 3 chunks, the dataset has 6");
    }

    @Test
    void chunks_atTheEdgeAndMissing_areWholeAndFilled() {
        store.put(
                "b/.zarray",
                "{\"zarr_format\":2,\"shape\":[3],\"chunks\":[2],\"dtype\":\"|u1\",\"order\":\"C\",\"compressor\":null,"
                        + "\"filters\":null,\"fill_value\":5}");
        store.put("b/1", (byte) 7, (byte) 8);
        Dataset<Tensor> chunks =
                Objects.requireNonNull(ZarrArray.open(store, "b").block()).chunks();

        assertThat(Objects.requireNonNull(chunks.get(0).block()).toByteArray()).containsExactly(5, 5);
        assertThat(Objects.requireNonNull(chunks.get(1).block()).toByteArray()).containsExactly(7, 8);
        assertThat(chunks.name(1)).isEqualTo("b/1");
    }

    @Test
    void windows_overlappingAcrossChunks_areInOrderOfTheirCorners() {
        Dataset<Tensor> windows = array().windows(Shape.of(3, 1), Shape.of(2, 1));

        List<List<Byte>> values = new ArrayList<>();
        for (long i = 0; i < windows.size(); i++) {
            List<Byte> bytes = new ArrayList<>();
            for (byte b : Objects.requireNonNull(windows.get(i).block()).toByteArray()) {
                bytes.add(b);
            }
            values.add(bytes);
        }

        assertThat(values)
                .isEqualTo(List.of(
                        List.of((byte) 0, (byte) 2, (byte) 4),
                        List.of((byte) 1, (byte) 3, (byte) 5),
                        List.of((byte) 4, (byte) 6, (byte) 8),
                        List.of((byte) 5, (byte) 7, (byte) 9)));
        assertThat(windows.name(3)).isEqualTo("a[2, 1]");
        assertThatThrownBy(() -> array().windows(Shape.of(7, 1), Shape.of(1, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fit in it, were [7, 1] and [1, 1]");
    }

    @Test
    void rows_ofTwoArrays_areZipped() {
        Dataset<Long> sums = array().rows().zip("sum", array().rows(), (one, two) -> one.longAt(0) + two.longAt(1));

        StepVerifier.create(sums.get(3), 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext(13L)
                .verifyComplete();
    }
}
