package io.penstock.stream.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.test.subscriber.TestSubscriber;

class MergeRunTest {

    private static final int DRAWS = 100;
    private static final int AT_HAND = 20;
    private static final int BEGUN = 30;
    private static final long SIZE = 10;
    private static final long BUDGET = 100 * SIZE;

    private final Workers workers = new Workers();
    private final Execution execution = new Execution(32, workers, 1, 0, true);
    private final LoadWindow window = new LoadWindow(execution, 1, new ReadAhead<Long>(BUDGET, size -> size));
    private int asks = Integer.MAX_VALUE;

    /** Keeps tasks until the test runs them; to begin draws takes so long here that workers begin them. */
    private static final class Workers implements Scheduler {
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private long nanos;

        @Override
        public Disposable schedule(Runnable task) {
            tasks.add(task);
            return Disposables.disposed();
        }

        @Override
        public Worker createWorker() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long now(TimeUnit unit) {
            return unit.convert(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** The draws; at one of the questions for them a sample comes that is as large as the budget. */
    private final class Shrinking implements Supply {
        private final Supply draws =
                new ComputedDraws(Sampler.sequential().draws(DRAWS), 0, false, indices -> Mono.empty(), execution);

        @Override
        public long available() {
            if (--asks == 0) {
                window.came(0, Sample.of(Draw.of(0), BUDGET), 1);
            }
            return draws.available();
        }

        @Override
        public long count() {
            return draws.count();
        }

        @Override
        public boolean take(long first, Draw[] taken, Object[] begun) {
            return draws.take(first, taken, begun);
        }

        @Override
        public Position position(long number) {
            return draws.position(number);
        }

        @Override
        public void discard(Draw[] taken, Object[] begun, int from) {
            draws.discard(taken, begun, from);
        }

        @Override
        public void delivered(long number) {
            draws.delivered(number);
        }

        @Override
        public @Nullable Throwable failure() {
            return draws.failure();
        }

        @Override
        public void stop() {
            draws.stop();
        }

        @Override
        public @Nullable Subscription upstream() {
            return draws.upstream();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void window_thatShrinksWhileAWorkerBeginsDraws_endsNothing(int ask) {
        TestSubscriber<Sample<Long>> seen = TestSubscriber.create();
        MergeRun<Long> run = new MergeRun<>(
                (drawn, begun) -> {
                    for (int i = 0; i < drawn.length; i++) {
                        workers.nanos += 1_000_000;
                        begun[i] = drawn[i].index() < AT_HAND ? (Object) SIZE : Mono.never();
                        asks = drawn[i].index() == BEGUN ? ask : asks;
                    }
                },
                1,
                new Shrinking(),
                execution,
                window,
                seen);

        seen.onSubscribe(run);
        while (!workers.tasks.isEmpty()) {
            workers.tasks.remove().run();
        }

        assertThat(asks).isNotPositive();
        assertThat(seen.isTerminated())
                .as("ended by %s", seen.isTerminatedError() ? seen.expectTerminalError() : "")
                .isFalse();
        assertThat(seen.getReceivedOnNext()).hasSize(AT_HAND);
    }
}
