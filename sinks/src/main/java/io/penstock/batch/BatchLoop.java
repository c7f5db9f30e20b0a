package io.penstock.batch;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Signal;
import reactor.core.scheduler.Schedulers;

/**
 * The batches of a stream for a plain {@code for} loop, which may be left at any time.
 * <pre>{@code
 *  try (BatchLoop batches = BatchLoop.over(pipeline.stream(sampler).transform(Batches.of(256, schema)))) {
 *      for (Batch batch : batches) {
 *          train(batch);              // may break, return or throw
 *      }
 *  }
 * }</pre>
 *
 * <p>A batch is valid until the loop asks for the next one or is closed, which close it; to close it earlier is allowed.
 * {@link io.penstock.tensor.Tensor#copy} makes a tensor that stays. The first batch is asked for when the loop begins, and
 * one batch is kept ready while the body works on another: the slots of {@link Batches} hold both.
 *
 * <p><b>Threads</b>: one loops, and may block. Any thread may close: the loop then ends.
 * <b>Errors</b>: what ends the stream is thrown behind the batches before it. {@link Iterator#hasNext} on a thread that
 * must not block, such as those of {@code Schedulers.parallel()}, is an {@link IllegalStateException}.
 */
public final class BatchLoop implements Iterable<Batch>, AutoCloseable {

    private final Flux<Batch> batches;
    private final Pass pass = new Pass();
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile boolean closed;

    private BatchLoop(Flux<Batch> batches) {
        this.batches = batches.doOnDiscard(Batch.class, Batch::close);
    }

    /** A loop over a stream, which is subscribed to when the loop begins. */
    public static BatchLoop over(Flux<Batch> batches) {
        return new BatchLoop(batches);
    }

    /**
     * The batches, once.
     * @throws IllegalStateException if it was called before, the loop is closed, or this thread must not block
     */
    @Override
    public Iterator<Batch> iterator() {
        checkThread();
        if (closed || !begun.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "a BatchLoop is iterated once, and not when it is closed; make one for each epoch, or one over a"
                            + " stream of several epochs, where batch.endsEpoch() tells them apart");
        }
        batches.subscribe(pass);
        return pass;
    }

    /** Ends the stream and closes the batches that are open. Does not block; a second time it does nothing. */
    @Override
    public void close() {
        closed = true;
        pass.dispose();
        pass.release();
    }

    private static void checkThread() {
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException(
                    "a BatchLoop waits for batches, which thread %s must not; loop on another one"
                            .formatted(Thread.currentThread().getName()));
        }
    }

    /** The subscription, and the iterator over what it brings. */
    private final class Pass extends BaseSubscriber<Batch> implements Iterator<Batch> {

        private final LinkedTransferQueue<Signal<Batch>> signals = new LinkedTransferQueue<>(); // adds without a lock
        private Signal<Batch> latest = Signal.complete(); // the loop's thread only, as the next one
        private boolean handedOut = true;
        private volatile @Nullable Batch open;

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(1);
        }

        @Override
        protected void hookOnNext(Batch batch) {
            signals.add(Signal.next(batch));
            if (closed) {
                release();
            }
        }

        @Override
        protected void hookOnComplete() {
            signals.add(Signal.complete());
        }

        @Override
        protected void hookOnError(Throwable thrown) {
            signals.add(Signal.error(thrown));
        }

        @Override
        public boolean hasNext() {
            if (handedOut) {
                checkThread();
                closeOpen();
                latest = take();
                handedOut = false;
                open = latest.get();
                if (closed) {
                    closeOpen();
                }
            }
            Throwable thrown = latest.getThrowable();
            if (thrown != null && !closed) {
                throw Exceptions.propagate(thrown);
            }
            return latest.isOnNext() && !closed;
        }

        @Override
        public Batch next() {
            Batch batch = hasNext() ? latest.get() : null;
            if (batch == null) {
                throw new NoSuchElementException("the stream has no more batches, or its loop was closed");
            }
            handedOut = true;
            request(1);
            return batch;
        }

        private Signal<Batch> take() {
            try {
                return signals.take();
            } catch (InterruptedException e) {
                close();
                Thread.currentThread().interrupt();
                throw new IllegalStateException("the loop was interrupted while it waited for a batch", e);
            }
        }

        private void closeOpen() {
            Batch batch = open;
            if (batch != null) {
                open = null;
                batch.close();
            }
        }

        /** Closes what came and will not be handed out; a loop that waits then ends. From any thread. */
        void release() {
            for (Signal<Batch> each = signals.poll(); each != null; each = signals.poll()) {
                Batch batch = each.get();
                if (batch != null) {
                    batch.close();
                }
            }
            signals.add(Signal.complete());
            closeOpen();
        }
    }
}
