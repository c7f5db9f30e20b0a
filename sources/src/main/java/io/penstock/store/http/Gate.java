package io.penstock.store.http;

import io.penstock.fault.StoreException;
import io.penstock.store.internal.OnDemand;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Lets so many through at once; others wait in order, without a thread.
 *
 * <p>One passage holds its place from its grant until its source ends or it is cancelled, whichever is first, and gives
 * it back once. Composed of {@code usingWhen} and a queue, a place could be granted to a subscriber that has just
 * cancelled, and then be lost.
 */
final class Gate {

    private final Executor starting;
    private final AtomicInteger free;
    private final AtomicInteger drains = new AtomicInteger();
    private final Queue<Passage<?>> waiting = new ConcurrentLinkedQueue<>();

    /**
     * A gate for so many at once.
     * @param starting where sources are subscribed to
     */
    Gate(int most, Executor starting) {
        this.starting = starting;
        this.free = new AtomicInteger(most);
    }

    <T> Mono<T> through(Mono<T> source) {
        return Mono.create(sink -> {
            Passage<T> passage = new Passage<>(source, sink);
            sink.onDispose(passage);
            waiting.add(passage);
            drain();
        });
    }

    private void release() {
        free.incrementAndGet();
        drain();
    }

    /** One thread at a time; those that come meanwhile leave their work to it. */
    private void drain() {
        if (drains.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            while (free.get() > 0) {
                Passage<?> next = waiting.poll();
                if (next == null) {
                    break;
                }
                if (next.grant()) {
                    free.decrementAndGet();
                    begin(next);
                }
            }
            missed = drains.addAndGet(-missed);
        } while (missed != 0);
    }

    private void begin(Passage<?> next) {
        try {
            starting.execute(next);
        } catch (RejectedExecutionException e) { // its threads are gone
            next.sink.error(new StoreException("cannot ask: the network's event loops are shut down", e));
        }
    }

    /** One subscriber's way through. */
    private final class Passage<T> implements Disposable, Runnable {
        private static final int WAITING = 0;
        private static final int INSIDE = 1;
        private static final int DONE = 2;

        private final Mono<T> source;
        private final MonoSink<T> sink;
        private final AtomicInteger state = new AtomicInteger(WAITING);
        private final Disposable.Swap running = Disposables.swap();

        Passage(Mono<T> source, MonoSink<T> sink) {
            this.source = source;
            this.sink = sink;
        }

        boolean grant() {
            return state.compareAndSet(WAITING, INSIDE);
        }

        @Override
        public void run() {
            if (state.get() != INSIDE) {
                return; // cancelled on the way here
            }
            running.update(OnDemand.subscribe(sink, source.doFinally(ended -> leave())));
        }

        private void leave() {
            if (state.compareAndSet(INSIDE, DONE)) {
                release();
            }
        }

        @Override
        public void dispose() {
            if (!state.compareAndSet(WAITING, DONE)) {
                running.dispose();
                leave();
            }
        }
    }
}
