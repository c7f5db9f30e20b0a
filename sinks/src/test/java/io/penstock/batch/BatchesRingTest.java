package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.batch.internal.Memory;
import io.penstock.batch.internal.Slot;
import io.penstock.batch.internal.SlotRing;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

class BatchesRingTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    /** Counts what it gives out. */
    private static final class Counting implements IntFunction<ByteBuffer> {
        private final AtomicInteger allocations = new AtomicInteger();

        @Override
        public ByteBuffer apply(int bytes) {
            allocations.incrementAndGet();
            return ByteBuffer.allocateDirect(bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void heldBatches_stopUpstreamAtTheRing(int slots) {
        AtomicLong asked = new AtomicLong();
        List<Batch> held = new ArrayList<>();
        Flux<Batch> batches = Points.immediate(100).stream(Sampler.sequential())
                .doOnRequest(asked::addAndGet)
                .transform(Batches.of(4, Points.SCHEMA).slots(slots));

        StepVerifier.create(batches.doOnNext(held::add), 0)
                .thenRequest(Long.MAX_VALUE)
                .expectNextCount(slots)
                .expectNoEvent(Duration.ofMillis(50))
                .then(() -> assertThat(asked).hasValue(4L * slots))
                .then(() -> held.get(0).close())
                .expectNextCount(1)
                .expectNoEvent(Duration.ofMillis(50))
                .then(() -> assertThat(asked).hasValue(4L * slots + 4))
                .thenCancel()
                .verify();
        assertThat(Points.ids(held.get(slots)))
                .containsExactly(4L * slots, 4L * slots + 1, 4L * slots + 2, 4L * slots + 3);
    }

    /** A pause of the whole process now and then looks like a slow consumer, and moves on to another slot. */
    @Test
    void promptConsumer_shortLastBatches_seldomChangesSlotsWithinAnEpoch() {
        int epochs = 40;
        List<Integer> slots = new ArrayList<>();
        List<ByteBuffer> buffers = new ArrayList<>();

        Points.immediate(102).stream(Sampler.sequential().epochs(epochs))
                .transform(Batches.of(10, Points.SCHEMA)
                        .consumeOn(Schedulers.immediate())
                        .allocator(bytes -> {
                            buffers.add(ByteBuffer.allocateDirect(bytes));
                            return buffers.get(buffers.size() - 1);
                        }))
                .doOnNext(batch -> {
                    if (batch.size() == 10) {
                        slots.add(marked(batch.tensor("id"), buffers));
                    }
                    batch.close();
                })
                .blockLast();

        assertThat(slots).hasSize(10 * epochs);
        assertThat(IntStream.range(1, slots.size())
                        .filter(i -> i % 10 != 0 && !slots.get(i).equals(slots.get(i - 1))))
                .hasSizeLessThan(epochs);
    }

    /** Which buffer a tensor lies in; overwrites the first element there. */
    private static int marked(Tensor tensor, List<ByteBuffer> buffers) {
        for (int i = 0; i < buffers.size(); i++) {
            byte before = buffers.get(i).get(0);
            buffers.get(i).put(0, (byte) ~before);
            if (tensor.data().get(0) == (byte) ~before) {
                return i;
            }
            buffers.get(i).put(0, before);
        }
        throw new AssertionError("in no buffer: " + tensor);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void slowConsumer_neverLetsUpstreamRunAhead(int slots) {
        AtomicLong asked = new AtomicLong();
        AtomicLong consumed = new AtomicLong();
        AtomicLong farthest = new AtomicLong();
        Flux<Batch> batches = Points.jittery(500).stream(Sampler.sequential().epochs(2))
                .doOnRequest(n -> farthest.accumulateAndGet(asked.addAndGet(n) - consumed.get(), Math::max))
                .transform(Batches.of(7, Points.SCHEMA).slots(slots));

        List<Seen> seen = batches.map(batch -> {
                    spin(Duration.ofMillis(1));
                    consumed.addAndGet(batch.size()); // before the slot is back, or its refill might look too early
                    return Seen.of(batch);
                })
                .collectList()
                .block();

        assertThat(seen).hasSize(144);
        assertThat(farthest.get()).isLessThanOrEqualTo(7L * slots + 1); // the draw that shows whether the epoch goes on
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void epochsShorterThanABatch_needNoMoreSlots(int slots) {
        List<Seen> seen =
                Seen.all(Points.immediate(3).stream(Sampler.sequential().epochs(40))
                        .transform(Batches.of(64, Points.SCHEMA).slots(slots)));

        assertThat(seen).hasSize(40);
        for (int epoch = 0; epoch < 40; epoch++) {
            assertThat(seen.get(epoch))
                    .isEqualTo(new Seen(List.of(0L, 1L, 2L), 3, List.of(), epoch, new Position(epoch + 1, 0)));
        }
    }

    @Test
    void epochsShorterThanABatch_heldByTheConsumer_waitForSlots() {
        List<Batch> held = new ArrayList<>();
        Flux<Batch> batches = Points.immediate(1).stream(Sampler.sequential().epochs(5))
                .transform(Batches.of(8, Points.SCHEMA).slots(2));

        StepVerifier.create(batches.doOnNext(held::add).map(Batch::epoch), 0)
                .thenRequest(Long.MAX_VALUE)
                .expectNext(0L, 1L)
                .expectNoEvent(Duration.ofMillis(50))
                .then(() -> held.get(1).close())
                .expectNext(2L)
                .then(() -> held.get(0).close())
                .expectNext(3L)
                .then(() -> held.get(3).close())
                .expectNext(4L)
                .verifyComplete();
    }

    @Test
    void errorBehindSamplesThatWaitForASlot_comesAfterTheirBatches() {
        List<Batch> held = new ArrayList<>();
        Flux<Batch> batches = Points.immediate(1).stream(Sampler.sequential().epochs(3))
                .concatWith(Flux.error(new IllegalStateException("gone")))
                .transform(Batches.of(8, Points.SCHEMA).slots(1));

        StepVerifier.create(batches.doOnNext(held::add).map(Batch::epoch), 0)
                .thenRequest(Long.MAX_VALUE)
                .expectNext(0L)
                .then(() -> held.get(0).close())
                .expectNext(1L)
                .expectNoEvent(Duration.ofMillis(50))
                .then(() -> held.get(1).close())
                .expectNext(2L)
                .expectErrorMessage("gone")
                .verify();
    }

    @Test
    void hundredEpochs_allocateOnceAFieldAndSlot() {
        Counting memory = new Counting();
        List<Batch> held = new ArrayList<>();
        Flux<Batch> batches = Points.immediate(30).stream(Sampler.shuffled(1).epochs(100))
                .transform(Batches.of(8, Points.SCHEMA).slots(3).allocator(memory));

        Long count = batches.doOnNext(held::add)
                .doOnNext(batch -> {
                    if (held.size() == 3) {
                        held.remove(0).close();
                    }
                })
                .count()
                .block();

        assertThat(count).isEqualTo(400);
        assertThat(memory.allocations).hasValue(3 * 2);
    }

    @Test
    void slotThatCameBackLast_isUsedFirst() {
        Memory memory = new Memory(8, List.of("id"), Map.of(), false, ByteBuffer::allocate);
        SlotRing ring = new SlotRing(3, () -> Slot.of(memory, false), () -> {});
        Slot first = ring.take();
        Slot second = ring.take();

        ring.putBack(second);
        ring.putBack(first);

        assertThat(ring.take()).isSameAs(first);
        assertThat(ring.take()).isSameAs(second);
        assertThat(ring.take()).isNotNull();
        assertThat(ring.take()).isNull();
    }

    @Test
    void cancelAtAnyMoment_everySlotComesBack() {
        for (int round = 0; round < 300; round++) {
            Counting memory = new Counting();
            Scheduler single = Schedulers.newSingle("consumer");
            BatchRun<?> run = subscribe(Points.jittery(60), memory, single, 1 + round % 12, round % 3 != 0);

            long deadline = System.nanoTime() + SOON.toNanos(); // upstream may be about to finish one more
            while (run.ring().lent() > 0 && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
            assertThat(run.ring().lent()).as("round %d", round).isZero();
            single.dispose(); // not before: it drops what it was given last
            assertThat(memory.allocations).hasValueLessThanOrEqualTo(3 * 2);
        }
    }

    /** Subscribes, takes the given number of batches, cancels from this or the consumer's thread; returns when all is quiet. */
    private static BatchRun<?> subscribe(
            Points points, Counting memory, Scheduler single, int take, boolean elsewhere) {
        CountDownLatch taken = new CountDownLatch(take);
        CountDownLatch quiet = new CountDownLatch(1);
        BaseSubscriber<Batch> consumer = new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(Batch batch) {
                taken.countDown();
                if (!elsewhere && taken.getCount() == 0) {
                    cancel();
                }
                batch.close();
            }
        };
        Collation<Points.Point> collation = Collation.of(4, Points.SCHEMA);
        BatchRun<Points.Point> run = new BatchRun<>(
                collation, BatchOptions.standard().allocator(memory).consumeOn(single), consumer);
        points.stream(Sampler.sequential()).subscribe(run);
        await(taken);
        if (elsewhere) {
            consumer.cancel();
        }
        single.schedule(quiet::countDown); // behind whatever the consumer was doing
        await(quiet);
        return run;
    }

    @Test
    void cancelled_batchesNotDelivered_areDiscarded() {
        List<Batch> discarded = new ArrayList<>();
        Flux<Batch> batches = Points.immediate(100).stream(Sampler.sequential())
                .transform(Batches.of(4, Points.SCHEMA))
                .doOnDiscard(Batch.class, discarded::add);

        StepVerifier.create(batches, 0)
                .thenRequest(1)
                .expectNextCount(1)
                .expectNoEvent(Duration.ofMillis(50)) // the other two are stacked meanwhile
                .thenCancel()
                .verify();

        assertThat(discarded).hasSize(2);
    }

    @Test
    void failedStream_givesBackSlotsAsBatchesAreClosed() {
        Sinks.Many<Sample<Points.Point>> source = Sinks.many().unicast().onBackpressureBuffer();
        List<Batch> held = new ArrayList<>();
        CountDownLatch failed = new CountDownLatch(1);
        BatchRun<Points.Point> run =
                new BatchRun<>(Collation.of(2, Points.SCHEMA), BatchOptions.standard(), new BaseSubscriber<Batch>() {
                    @Override
                    protected void hookOnNext(Batch batch) {
                        held.add(batch);
                    }

                    @Override
                    protected void hookOnError(Throwable throwable) {
                        failed.countDown();
                    }
                });
        source.asFlux().subscribe(run);

        Points.immediate(5).stream(Sampler.sequential()).toStream().forEach(source::tryEmitNext);
        source.tryEmitError(new IllegalStateException("gone"));
        await(failed);

        assertThat(run.ring().lent()).isEqualTo(3);
        held.forEach(Batch::close);
        held.forEach(Batch::close);
        assertThat(run.ring().lent()).isZero();
    }

    @Test
    void batchesDroppedWithoutClosing_areReplacedByNewMemory() {
        Counting memory = new Counting();
        List<Tensor> kept = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        Points.immediate(40).stream(Sampler.sequential())
                .transform(Batches.of(4, Points.SCHEMA).allocator(memory))
                .map(batch -> batch.tensor("id")) // and never closed
                .doOnTerminate(done::countDown)
                .subscribe(kept::add);

        while (done.getCount() > 0) {
            System.gc(); // which finds the batches, and nothing else can
            spin(Duration.ofMillis(5));
        }

        for (int batch = 0; batch < 10; batch++) {
            assertThat(kept.get(batch).longAt(0)).isEqualTo(4L * batch);
            assertThat(kept.get(batch).longAt(3)).isEqualTo(4L * batch + 3);
        }
        assertThat(memory.allocations).hasValue(10 * 2);
    }

    @Test
    void batchesDroppedWithoutClosing_areLookedForOnceTheStreamStandsStill() {
        VirtualTimeScheduler trainer = VirtualTimeScheduler.create();
        List<Tensor> kept = new CopyOnWriteArrayList<>();
        Points.immediate(40).stream(Sampler.sequential())
                .transform(Batches.of(4, Points.SCHEMA).consumeOn(trainer))
                .map(batch -> batch.tensor("id"))
                .subscribe(kept::add);
        while (kept.size() < 3) {
            Thread.onSpinWait();
        }

        trainer.advanceTimeBy(Duration.ofSeconds(9));
        assertThat(kept).hasSize(3);
        trainer.advanceTimeBy(Duration.ofSeconds(1));

        long deadline = System.nanoTime() + SOON.toNanos();
        while (kept.size() < 6 && System.nanoTime() < deadline) {
            trainer.advanceTimeBy(Duration.ZERO); // what the collector brought back is on its way
        }
        assertThat(kept).hasSizeGreaterThanOrEqualTo(6);
    }

    @Test
    void cancelFromAnotherThread_doesNotInterruptTheConsumer() {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch finished = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        BaseSubscriber<Batch> consumer = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            protected void hookOnNext(Batch batch) {
                inside.countDown();
                await(cancelled);
                interrupted.set(Thread.currentThread().isInterrupted() ? 1 : 0);
                batch.close();
                finished.countDown();
            }
        };
        Points.immediate(40).stream(Sampler.sequential())
                .transform(Batches.of(4, Points.SCHEMA))
                .subscribe(consumer);

        await(inside);
        consumer.cancel();
        cancelled.countDown();
        await(finished);

        assertThat(interrupted).hasValue(0);
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    static void spin(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }
}
