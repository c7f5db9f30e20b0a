package io.penstock.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Position;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** A consumer that gives up while a batch is on its way to it. */
class HubTest {

    private static final int BATCHES = 3_000;

    private final CountedFeed feed = new CountedFeed(BATCHES * CountedFeed.BATCH, 4, 1);
    private final RunMemory memory = RunMemory.ofProcess();
    private final Hub hub =
            new Hub(0, Position.START, Flux.defer(() -> feed.batches(0, Position.START, memory)), memory, 2, () -> {});
    private final ExecutorService canceller = Executors.newSingleThreadExecutor();

    @AfterEach
    void end() {
        canceller.shutdownNow();
    }

    /** Wants one batch, gives it back at once, and counts. */
    private static final class Wanting extends BaseSubscriber<Delivery> {
        private final AtomicReference<@Nullable Subscription> begun = new AtomicReference<>();
        private final AtomicInteger taken;

        Wanting(AtomicInteger taken) {
            this.taken = taken;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            begun.set(subscription);
            super.hookOnSubscribe(subscription);
        }

        @Override
        protected void hookOnNext(Delivery delivery) {
            taken.incrementAndGet();
            delivery.release();
        }

        void cancelSoon(int spins) {
            while (begun.get() == null) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < spins; i++) {
                Thread.onSpinWait();
            }
            cancel();
        }
    }

    @Test
    void cancel_thatOvertakesABatch_holdsUpNobody() throws Exception {
        Cursor fickle = hub.join(Position.START);
        Cursor steady = hub.join(Position.START);
        assertThat(fickle).isNotNull();
        assertThat(steady).isNotNull();
        AtomicInteger all = new AtomicInteger();
        AtomicInteger some = new AtomicInteger();
        Disposable rest = Flux.defer(steady::next).repeat(BATCHES - 1).subscribe(delivery -> {
            all.incrementAndGet();
            delivery.release();
        });
        SplittableRandom random = new SplittableRandom(1);

        while (fickle.number() < BATCHES) {
            Wanting wanting = new Wanting(some);
            int spins = random.nextInt(200);
            var cancelled = canceller.submit(() -> wanting.cancelSoon(spins));
            fickle.next().subscribe(wanting);
            cancelled.get();
        }

        Eventually.await(() -> all.get() == BATCHES && feed.out() == 0);
        assertThat(rest.isDisposed()).isTrue();
        assertThat(some.get()).isPositive();
    }
}
