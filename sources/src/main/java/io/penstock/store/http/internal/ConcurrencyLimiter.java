package io.penstock.store.http.internal;

import io.penstock.fault.StoreException;
import io.penstock.internal.DrainLoop;
import io.penstock.internal.Guarded;
import io.penstock.internal.Told;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Limits how many sources run at the same time; the others wait in order, without a thread. A source that fails because
 * the server is busy halves the limit, and so does one that says {@link #tooMany}. Then it grows by one with each full
 * round of others that do not.
 *
 * <p>A source holds a permit from its start until it ends or is cancelled, and returns it once. {@code usingWhen} with
 * a queue of permits would not do: it could grant a permit to a subscriber that has just cancelled, and lose it.
 */
final class ConcurrencyLimiter {

    private final Executor starting;
    private final int max;
    private final AtomicInteger limit;
    private final AtomicInteger permits; // the limit less those that run; below 0 after it was halved
    private final AtomicInteger halved = new AtomicInteger();
    private final AtomicInteger calm = new AtomicInteger();
    private final DrainLoop loop = new DrainLoop();
    private final Queue<Waiter<?>> waiting = new ConcurrentLinkedQueue<>();

    /** @param starting subscribes to the sources */
    ConcurrencyLimiter(int max, Executor starting) {
        this.max = max;
        this.starting = starting;
        this.limit = new AtomicInteger(max);
        this.permits = new AtomicInteger(max);
    }

    <T> Mono<T> limit(Mono<T> source) {
        return Told.mono(told -> {
            Waiter<T> waiter = new Waiter<>(source, told);
            told.onCancel(waiter::cancel);
            waiting.add(waiter);
            drain();
        });
    }

    private void drain() {
        if (!loop.enter()) {
            return;
        }
        do {
            Waiter<?> next;
            while (permits.get() > 0 && (next = waiting.poll()) != null) {
                if (next.state.compareAndSet(Waiter.WAITING, Waiter.RUNNING)) {
                    permits.decrementAndGet();
                    next.before = halved.get();
                    start(next);
                }
            }
        } while (!loop.leave());
    }

    /** The source that was subscribed with this context has found that the server has too much to do. */
    static void tooMany(ContextView context) {
        context.<Runnable>getOrEmpty(ConcurrencyLimiter.class).ifPresent(Runnable::run);
    }

    /** Sources that ran at the same time halve the limit once. */
    private void halve(int before) {
        if (halved.compareAndSet(before, before + 1)) {
            int now = limit.get();
            int half = Math.max(1, (now - permits.get()) / 2);
            if (half < now && limit.compareAndSet(now, half)) {
                permits.addAndGet(half - now);
            }
        }
    }

    private void succeeded() {
        int now = limit.get();
        if (now < max && calm.incrementAndGet() >= now && limit.compareAndSet(now, now + 1)) {
            calm.set(0);
            permits.incrementAndGet();
        }
    }

    private void start(Waiter<?> next) {
        try {
            starting.execute(next);
        } catch (RejectedExecutionException e) {
            next.returnPermit();
            next.told.tell(null, new StoreException("cannot ask: the network's event loops are shut down", e));
        }
    }

    /** One subscriber and its source. */
    private final class Waiter<T> implements Runnable {
        private static final int WAITING = 0;
        private static final int RUNNING = 1;
        private static final int DONE = 2;

        private final Mono<T> source;
        private int before; // how often the limit was halved when it was let in
        private final Told<T> told;
        private final AtomicInteger state = new AtomicInteger(WAITING);
        private final Disposable.Swap running = Disposables.swap();

        Waiter(Mono<T> source, Told<T> told) {
            this.source = source;
            this.told = told;
        }

        @Override
        public void run() {
            if (state.get() == RUNNING) { // not cancelled before
                Runnable halving = () -> halve(before);
                running.update(new Guarded<>(source)
                        .doOnError(HttpFault.class, fault -> {
                            if (fault.isBusy()) {
                                halving.run();
                            }
                        })
                        .doOnSuccess(done -> succeeded())
                        .doFinally(ended -> returnPermit())
                        .singleOptional()
                        .subscribe(
                                found -> told.tell(found.orElse(null), null),
                                failure -> told.tell(null, failure),
                                null,
                                told.currentContext().put(ConcurrencyLimiter.class, halving)));
            }
        }

        private void returnPermit() {
            if (state.compareAndSet(RUNNING, DONE)) {
                permits.incrementAndGet();
                drain();
            }
        }

        void cancel() {
            if (!state.compareAndSet(WAITING, DONE)) {
                running.dispose();
                returnPermit();
            }
        }
    }
}
