package io.penstock.batch;

import io.penstock.internal.Thrown;
import io.penstock.order.Position;
import io.penstock.stream.internal.Lent;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * The batches of samples that are views of mapped files. Each is copied once, from the mapping into its batch. If a file is
 * cut shorter meanwhile, what was copied is not believed: the stream goes on behind the last batch that was delivered,
 * and what cannot be read is a miss then. Copying every hit first, as for other subscribers, would halve the rate.
 */
final class MappedBatches<T> extends Flux<Batch> {

    /** Each cut of a file ends one; these many in a row without a batch are something else. */
    private static final int ATTEMPTS = 10;

    private final Lent<T> lent;
    private final Collation<T> collation;
    private final BatchOptions options;

    MappedBatches(Lent<T> lent, Collation<T> collation, BatchOptions options) {
        this.lent = lent;
        this.collation = collation;
        this.options = options;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Batch> actual) {
        new Progress().batches().subscribe(actual);
    }

    /** Of one subscription, whose signals come one at a time. */
    private final class Progress {
        private @Nullable BatchRun<T> run;
        private @Nullable Position next;
        private int attempts;

        Flux<Batch> batches() {
            Flux<Batch> rest = new Flux<>() {
                @Override
                public void subscribe(CoreSubscriber<? super Batch> actual) {
                    BatchRun<T> begun = new BatchRun<>(collation, options, lent.lost(), actual);
                    run = begun;
                    lent.samples().apply(next).subscribe(begun);
                }
            };
            return rest.doOnNext(this::came).onErrorResume(this::isOfAView, e -> goOn());
        }

        private void came(Batch batch) {
            next = batch.next();
            attempts = 0;
        }

        private boolean isOfAView(Throwable e) {
            boolean threw = run != null && run.consumerThrew();
            return !threw && Thrown.cause(e) instanceof InternalError && attempts < ATTEMPTS;
        }

        private Publisher<Batch> goOn() {
            attempts++;
            return batches();
        }
    }
}
