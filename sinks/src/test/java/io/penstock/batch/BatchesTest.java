package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class BatchesTest {

    private static final Schema<Tensor> PIXELS = Schema.tensor("pixels");

    private static Sample<Tensor> sample(long index, Tensor value) {
        return Sample.of(new Draw(0, 0, index, new Position(0, index + 1)), value);
    }

    private static Tensor image(long... dims) {
        return Tensor.ofBytes(new byte[(int) Shape.of(dims).elements()], dims);
    }

    private static List<Seen> seen(Remainder remainder, Sampler sampler, Set<Long> broken) {
        return Seen.all(Points.immediate(5).skipping(broken).stream(sampler)
                .transform(Batches.of(2, Points.SCHEMA).remainder(remainder)));
    }

    private static Seen plain(long epoch, long nextEpoch, long nextOffset, Long... ids) {
        return new Seen(List.of(ids), ids.length, List.of(), epoch, new Position(nextEpoch, nextOffset));
    }

    private static Seen masked(int size, long nextEpoch, long nextOffset, Long... ids) {
        return new Seen(List.of(ids), size, List.of(size > 0, size > 1), 0, new Position(nextEpoch, nextOffset));
    }

    @Test
    void batches_withoutDemand_askNothing() {
        AtomicLong asked = new AtomicLong();
        Flux<Batch> batches = Points.immediate(5).stream(Sampler.sequential())
                .doOnRequest(asked::addAndGet)
                .transform(Batches.of(2, Points.SCHEMA));

        StepVerifier.create(batches.map(Seen::of), 0)
                .expectSubscription()
                .then(() -> assertThat(asked).hasValue(0))
                .thenRequest(1)
                .expectNext(plain(0, 0, 2, 0L, 1L))
                .thenRequest(1)
                .expectNext(plain(0, 0, 4, 2L, 3L))
                .thenRequest(1)
                .expectNext(plain(0, 1, 0, 4L))
                .verifyComplete();
    }

    @Test
    void keep_endOfEpoch_isASmallerBatch() {
        List<Seen> seen = seen(Remainder.KEEP, Sampler.sequential().epochs(2), Set.of());

        assertThat(seen)
                .containsExactly(
                        plain(0, 0, 2, 0L, 1L),
                        plain(0, 0, 4, 2L, 3L),
                        plain(0, 1, 0, 4L),
                        plain(1, 1, 2, 0L, 1L),
                        plain(1, 1, 4, 2L, 3L),
                        plain(1, 2, 0, 4L));
    }

    @Test
    void drop_endOfEpoch_leavesOutTheShortBatch() {
        List<Seen> seen = seen(Remainder.DROP, Sampler.sequential().epochs(2), Set.of());

        assertThat(seen)
                .containsExactly(
                        plain(0, 0, 2, 0L, 1L), plain(0, 1, 0, 2L, 3L), plain(1, 1, 2, 0L, 1L), plain(1, 2, 0, 2L, 3L));
    }

    @Test
    void pad_endOfEpoch_fillsUpWithZerosAndMasksThem() {
        List<Seen> seen = seen(Remainder.PAD, Sampler.sequential(), Set.of());

        assertThat(seen).containsExactly(masked(2, 0, 2, 0L, 1L), masked(2, 0, 4, 2L, 3L), masked(1, 1, 0, 4L, 0L));
    }

    @Test
    void keep_skippedSamples_leaveTheirBatchShorterDownToNone() {
        List<Seen> seen = seen(Remainder.KEEP, Sampler.sequential(), Set.of(1L, 2L, 3L));

        assertThat(seen).containsExactly(plain(0, 0, 2, 0L), plain(0, 0, 4), plain(0, 1, 0, 4L));
    }

    @Test
    void drop_skippedSamples_stillEmitBatchesOfEnoughDraws() {
        List<Seen> seen = seen(Remainder.DROP, Sampler.sequential(), Set.of(1L, 2L, 3L));

        assertThat(seen).containsExactly(plain(0, 0, 2, 0L), plain(0, 1, 0));
    }

    @Test
    void pad_skippedSamples_moveValidRowsToTheFront() {
        List<Seen> seen = seen(Remainder.PAD, Sampler.sequential(), Set.of(0L, 2L, 3L));

        assertThat(seen).containsExactly(masked(1, 0, 2, 1L, 0L), masked(0, 0, 4, 0L, 0L), masked(1, 1, 0, 4L, 0L));
    }

    @Test
    void paddingDraws_countButBringNoRow() {
        Sampler lastOfThree = Sampler.sequential().shard(Shard.of(2, 3)); // draws 2 and padding

        assertThat(seen(Remainder.KEEP, lastOfThree, Set.of())).containsExactly(plain(0, 1, 0, 2L));
        assertThat(seen(Remainder.PAD, lastOfThree, Set.of())).containsExactly(masked(1, 1, 0, 2L, 0L));
        assertThat(seen(Remainder.DROP, lastOfThree, Set.of())).containsExactly(plain(0, 1, 0, 2L));
    }

    @Test
    void noSampleAtAll_emptyBatchesHaveFieldsOfUnknownShape() {
        Flux<Sample<Points.Point>> skipped =
                Points.immediate(5).skipping(Set.of(0L, 1L, 2L, 3L, 4L)).stream(Sampler.sequential());

        List<String> kept = skipped.transform(Batches.of(4, Points.SCHEMA))
                .map(batch -> batch.size() + " " + batch.names() + batch.tensor("id") + batch.tensor("xy"))
                .collectList()
                .block();
        List<String> padded = skipped.transform(Batches.of(4, Points.SCHEMA).remainder(Remainder.PAD))
                .map(batch -> batch.size() + " " + batch.tensor("id")
                        + batch.mask().orElseThrow().type())
                .collectList()
                .block();

        assertThat(kept).containsExactly("0 [id, xy]u8[0, 0]u8[0, 0]", "0 [id, xy]u8[0, 0]u8[0, 0]");
        assertThat(padded).containsExactly("0 u8[4, 0]bool[4]", "0 u8[4, 0]bool[4]");
    }

    @Test
    void fields_getANewFirstAxis() {
        Flux<Batch> batches =
                Flux.range(0, 3).map(i -> sample(i, image(2, 4, 3))).transform(Batches.of(3, PIXELS));

        StepVerifier.create(batches.map(Batch::toString), 0)
                .thenRequest(1)
                .expectNext("Batch[3 samples, {pixels=u8[3, 2, 4, 3]}, next Position[epoch=0, offset=3]]")
                .verifyComplete();
    }

    @Test
    void memory_isDirectAlignedAndLittleEndian() {
        Tensor xy = Points.immediate(3).stream(Sampler.sequential())
                .transform(Batches.of(3, Points.SCHEMA))
                .map(batch -> batch.tensor("xy"))
                .blockLast();

        assertThat(xy.type()).isEqualTo("f32[3, 2]");
        assertThat(xy.data().isDirect()).isTrue();
        assertThat(xy.data().alignmentOffset(0, 64)).isZero();
        assertThat(xy.doubleAt(4)).isEqualTo(2);
    }

    @Test
    void raggedShapes_areAnErrorThatNamesBothSamples() {
        Flux<Batch> batches = Flux.range(0, 9)
                .map(i -> sample(i, i == 4 ? image(224, 200, 3) : image(224, 224, 3)))
                .transform(Batches.of(8, PIXELS));

        StepVerifier.create(batches, 0)
                .thenRequest(1)
                .expectErrorMessage("cannot batch field \"pixels\": sample 0 is u8[224, 224, 3], "
                        + "sample 4 is u8[224, 200, 3]; bring them to one shape before batching, images with "
                        + "Resize, or pad with padShapes()")
                .verify();
    }

    @Test
    void mixedDtypes_areAnErrorThatNamesBothSamples() {
        Flux<Batch> batches = Flux.just(sample(7, Tensor.scalar(1)), sample(8, Tensor.scalar(1f)))
                .transform(Batches.of(2, PIXELS));

        StepVerifier.create(batches, 0)
                .thenRequest(1)
                .expectErrorMessage("cannot batch field \"pixels\": sample 7 is i32[], sample 8 is f32[]; "
                        + "map to one dtype before batching")
                .verify();
    }

    @Test
    void shapesThatChangeBetweenBatches_areFine() {
        List<String> shapes = Flux.range(0, 6)
                .map(i -> sample(i, image(1 + i / 2, 3)))
                .transform(Batches.of(2, PIXELS))
                .map(batch -> {
                    try (batch) {
                        return batch.tensor("pixels").type();
                    }
                })
                .collectList()
                .block();

        assertThat(shapes).containsExactly("u8[2, 1, 3]", "u8[2, 2, 3]", "u8[2, 3, 3]");
    }

    @Test
    void upstreamThatEndsWithinAnEpoch_leavesARemainder() {
        Flux<Sample<Points.Point>> three =
                Points.immediate(9).stream(Sampler.sequential()).take(3);

        assertThat(Seen.all(three.transform(Batches.of(2, Points.SCHEMA))))
                .containsExactly(plain(0, 0, 2, 0L, 1L), plain(0, 0, 3, 2L));
        assertThat(Seen.all(three.transform(Batches.of(2, Points.SCHEMA).remainder(Remainder.PAD))))
                .containsExactly(masked(2, 0, 2, 0L, 1L), masked(1, 0, 3, 2L, 0L));
        assertThat(Seen.all(three.transform(Batches.of(2, Points.SCHEMA).remainder(Remainder.DROP))))
                .containsExactly(plain(0, 0, 2, 0L, 1L));
    }

    @Test
    void lastDrawOfAnEpochFilteredAway_stillEndsTheBatch() {
        Flux<Batch> batches = Points.immediate(3).stream(Sampler.sequential().epochs(2))
                .filter(sample -> sample.draw().index() != 2)
                .transform(Batches.of(3, Points.SCHEMA));

        assertThat(Seen.all(batches)).containsExactly(plain(0, 1, 0, 0L, 1L), plain(1, 1, 2, 0L, 1L));
    }

    @Test
    void emptyUpstream_completesWithoutDemand() {
        StepVerifier.create(Points.immediate(0).stream(Sampler.sequential()).transform(Batches.of(2, Points.SCHEMA)), 0)
                .verifyComplete();
    }

    @Test
    void upstreamError_comesAfterTheBatchesThatWereComplete() {
        Flux<Batch> batches = Points.immediate(5).stream(Sampler.sequential())
                .concatWith(Flux.error(new IllegalStateException("gone")))
                .transform(Batches.of(2, Points.SCHEMA).slots(4));

        StepVerifier.create(batches.map(Seen::of), 0)
                .thenRequest(1)
                .expectNext(plain(0, 0, 2, 0L, 1L))
                .thenRequest(9)
                .expectNext(plain(0, 0, 4, 2L, 3L), plain(0, 1, 0, 4L))
                .expectErrorMessage("gone")
                .verify();
    }

    @Test
    void consumerThatThrows_endsTheFlow() {
        Flux<Batch> batches = Points.immediate(5).stream(Sampler.sequential())
                .transform(Batches.of(2, Points.SCHEMA))
                .doOnNext(batch -> {
                    throw new LinkageError("no native library"); // which Reactor rethrows rather than signal
                });

        StepVerifier.create(batches, 0)
                .thenRequest(1)
                .expectErrorMatches(e -> e.getCause() instanceof LinkageError)
                .verify();
    }

    @Test
    void spec_outOfRange_isRefused() {
        assertThatThrownBy(() -> Batches.of(0, PIXELS)).hasMessage("batch size must be in [1, 16777216], was 0");
        assertThatThrownBy(() -> Batches.of(1, PIXELS).slots(0)).hasMessage("slots must be in [1, 65536], was 0");
        assertThatThrownBy(() -> Batches.of(1, PIXELS).bucketByLength("text", 3))
                .hasMessage("cannot bucket by \"text\": fields are [pixels]");
        assertThatThrownBy(() -> Batches.of(1, PIXELS).bucketByLength("pixels"))
                .hasMessage("buckets need at least one boundary");
        assertThatThrownBy(() -> Batches.of(1, PIXELS).bucketByLength("pixels", 3, 3))
                .hasMessage("bucket boundaries must ascend: [3, 3]");
    }

    @Test
    void hugeBatch_failsWithTheNumberOfBytes() {
        Tensor page = Tensor.of(DType.U8, Shape.of(1 << 20), java.nio.ByteBuffer.allocate(1 << 20));

        StepVerifier.create(Flux.just(sample(0, page)).transform(Batches.of(4_096, PIXELS)), 0)
                .thenRequest(1)
                .expectErrorMessage("cannot batch field \"pixels\": 4096 rows of u8[1048576] are 4294967296 bytes, "
                        + "and a buffer holds 2 GiB; take smaller batches")
                .verify();
    }

    @Test
    void spec_inWords_saysWhatItDoes() {
        assertThat(Batches.of(64, PIXELS).remainder(Remainder.DROP).slots(2))
                .hasToString("batches of 64 [pixels], drop the remainder, 2 slots");
    }
}
