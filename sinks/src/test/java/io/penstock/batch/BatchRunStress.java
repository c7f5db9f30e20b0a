package io.penstock.batch;

import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.scheduler.Schedulers;

/** Races of the batch ring: batches that come back, samples that wait for a slot, cancels and ends. */
public final class BatchRunStress {

    private static final int N = 2;
    private static final int SLOTS = 2;

    private BatchRunStress() {}

    private record Row(int value) {}

    private static final Schema<Row> SCHEMA = Schema.of(Row.class);
    private static final List<Sample<Row>> SAMPLES = samples(4 * N);

    private static List<Sample<Row>> samples(int count) {
        Draws draws = Sampler.sequential().draws(count);
        return IntStream.range(0, count)
                .mapToObj(i -> Sample.of(draws.at(i), new Row(i)))
                .toList();
    }

    /** Delivers what is asked for on the thread that asks, as far as the test lets it; then what it is told to. */
    private static final class Upstream implements Subscription {
        private final CoreSubscriber<Sample<Row>> run;
        private final int onRequest;
        private int delivered;
        private volatile boolean cancelled;

        Upstream(CoreSubscriber<Sample<Row>> run, int onRequest) {
            this.run = run;
            this.onRequest = onRequest;
            run.onSubscribe(this);
        }

        @Override
        public void request(long n) {
            for (long i = 0; i < n && delivered < onRequest; i++) {
                deliver();
            }
        }

        void deliver() {
            run.onNext(SAMPLES.get(delivered++));
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    /** Holds every batch that it gets. */
    private static final class Consumer implements CoreSubscriber<Batch> {
        private final List<Batch> held = new ArrayList<>();
        private int ends;

        /** A batch that is dropped instead waits for the collector: millions of them fill the heap. */
        void closeAll() {
            held.forEach(Batch::close);
        }

        @Override
        public void onSubscribe(Subscription s) {}

        @Override
        public void onNext(Batch batch) {
            held.add(batch);
        }

        @Override
        public void onError(Throwable e) {
            ends += 10;
        }

        @Override
        public void onComplete() {
            ends++;
        }
    }

    private static BatchRun<Row> run(Consumer consumer) {
        BatchOptions options = BatchOptions.standard()
                .slots(SLOTS)
                .consumeOn(Schedulers.immediate())
                .fillOn(Schedulers.immediate());
        return new BatchRun<>(Collation.of(N, SCHEMA), options, consumer);
    }

    /** Both batches that are out come back at once: both slots are filled again. */
    @JCStressTest
    @Outcome(id = "4, 2", expect = Expect.ACCEPTABLE, desc = "two batches more, which are out")
    @State
    public static class TwoBatchesComeBack {
        private final Consumer consumer = new Consumer();
        private final BatchRun<Row> run = run(consumer);
        private final Batch first;
        private final Batch second;

        public TwoBatchesComeBack() {
            new Upstream(run, SAMPLES.size());
            run.request(Long.MAX_VALUE);
            first = consumer.held.get(0);
            second = consumer.held.get(1);
        }

        @Actor
        public void first() {
            first.close();
        }

        @Actor
        public void second() {
            second.close();
        }

        @Arbiter
        public void after(II_Result result) {
            result.r1 = consumer.held.size();
            result.r2 = run.ring().lent();
            run.cancel();
            consumer.closeAll();
        }
    }

    /** A cancel while a batch is completed: it is delivered or discarded, and its slot is not lent for ever. */
    @JCStressTest
    @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "discarded")
    @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "delivered")
    @State
    public static class CancelWhileABatchIsCompleted {
        private final Consumer consumer = new Consumer();
        private final BatchRun<Row> run = run(consumer);
        private final Upstream upstream = new Upstream(run, N - 1);

        public CancelWhileABatchIsCompleted() {
            run.request(Long.MAX_VALUE);
        }

        @Actor
        public void complete() {
            upstream.deliver();
        }

        @Actor
        public void cancel() {
            run.cancel();
        }

        @Arbiter
        public void after(III_Result result) {
            result.r1 = consumer.held.size();
            result.r2 = run.ring().lent();
            result.r3 = upstream.cancelled ? 1 : 0;
            consumer.closeAll();
        }
    }

    /** Upstream ends while a batch comes back: the end is told once, and last. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "both batches, and the end")
    @State
    public static class EndWhileABatchComesBack {
        private final Consumer consumer = new Consumer();
        private final BatchRun<Row> run = run(consumer);
        private final Batch first;

        public EndWhileABatchComesBack() {
            Upstream upstream = new Upstream(run, N);
            run.request(Long.MAX_VALUE);
            first = consumer.held.get(0);
            upstream.deliver();
        }

        @Actor
        public void end() {
            run.onComplete();
        }

        @Actor
        public void giveBack() {
            first.close();
        }

        @Arbiter
        public void after(II_Result result) {
            result.r1 = consumer.held.size();
            result.r2 = consumer.ends;
            consumer.closeAll();
        }
    }

    /** Samples that wait for a slot while one comes: all are taken, in order, by one thread at a time. */
    @JCStressTest
    @Outcome(id = "12, 0", expect = Expect.ACCEPTABLE, desc = "both, in order")
    @State
    public static class SamplesWaitForASlot {
        private final OneAtATime batcher = new OneAtATime();
        private final Backlog<Row> backlog = new Backlog<>(batcher);

        @Actor
        public void upstream() {
            backlog.add(SAMPLES.get(1));
            backlog.add(SAMPLES.get(2));
        }

        @Actor
        public void slotComes() {
            batcher.free = true;
            backlog.workOff();
        }

        @Arbiter
        public void after(II_Result result) {
            backlog.workOff();
            result.r1 = batcher.taken;
            result.r2 = batcher.overlaps;
        }
    }

    /** Takes samples while there is room, and notices two threads at once. */
    private static final class OneAtATime implements Batcher<Row> {
        private volatile boolean free;
        private volatile boolean inside;
        private int taken;
        private int overlaps;

        @Override
        public boolean take(Sample<Row> sample) {
            if (inside) {
                overlaps++;
            }
            inside = true;
            Draw draw = sample.draw();
            boolean room = free;
            if (room) {
                taken = 10 * taken + (int) draw.index();
            }
            inside = false;
            return room;
        }

        @Override
        public void end() {}

        @Override
        public void fail() {}
    }
}
