package io.penstock.metrics;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * How long the consumer of batches waits for them, {@code penstock.batch.wait}, and how long it uses them,
 * {@code penstock.batch.use}, over all subscriptions of the fluxes that are measured. A server of batches that are asked
 * for one by one has {@code penstock.batch.made} instead: how many, and how long each took from its request.
 * <pre>{@code
 *  ConsumerMetrics consumer = new ConsumerMetrics();
 *  consumer.bindTo(registry);
 *  pipeline.stream(sampler).transform(Batches.of(256, schema)).transform(consumer::measure)
 * }</pre>
 *
 * <p>A consumer waits while it has requested a batch and is not receiving one. It uses a batch from its arrival until
 * the next request. A wait that goes on counts as well. A batch costs two readings of the clock.
 */
public final class ConsumerMetrics implements MeterBinder {

    private final LongSupplier nanoClock;
    private final Tags tags;
    private final Counts stream = new Counts(new LongAdder(), new LongAdder(), new LongAdder());
    private final Counts numbered = new Counts(new LongAdder(), new LongAdder(), new LongAdder());
    private final Set<Measured<?>> running = ConcurrentHashMap.newKeySet();

    /** Batches that arrived, and nanoseconds. */
    private record Counts(LongAdder batches, LongAdder waited, LongAdder used) {}

    public ConsumerMetrics() {
        this(Tags.empty());
    }

    /** With tags, which tell several consumers apart. */
    public ConsumerMetrics(Tags tags) {
        this(tags, System::nanoTime);
    }

    ConsumerMetrics(Tags tags, LongSupplier nanoClock) {
        this.tags = tags;
        this.nanoClock = nanoClock;
    }

    /** The same flux, whose subscribers are measured. Place it directly before the consumer. */
    public <T> Flux<T> measure(Flux<T> source) {
        return measured(source, stream);
    }

    /**
     * The same flux of one batch, which a consumer asked for by its number. Its consumer may ask for others at the same
     * time, and nothing is made ahead for it, so it says little about the consumer's own waiting.
     */
    public <T> Flux<T> measureNumbered(Flux<T> source) {
        return measured(source, numbered);
    }

    private <T> Flux<T> measured(Flux<T> source, Counts counts) {
        return new FluxOperator<>(source) {
            @Override
            public void subscribe(CoreSubscriber<? super T> actual) {
                source.subscribe(new Measured<>(actual, counts));
            }
        };
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        timer(registry, "penstock.batch.wait", "how long the consumer waited for batches", stream, Counts::waited);
        timer(registry, "penstock.batch.use", "how long the consumer used batches", stream, Counts::used);
        timer(
                registry,
                "penstock.batch.made",
                "how long batches took that were asked for one by one",
                numbered,
                Counts::waited);
    }

    private void timer(
            MeterRegistry registry, String name, String description, Counts counts, Function<Counts, LongAdder> time) {
        AtomicLong highest = new AtomicLong(); // a state that changes during the reading must not lower a counter
        FunctionTimer.builder(
                        name,
                        this,
                        its -> counts.batches.sum(),
                        its -> highest.accumulateAndGet(its.nanos(time.apply(counts)), Math::max),
                        TimeUnit.NANOSECONDS)
                .tags(tags)
                .description(description)
                .register(registry);
    }

    private long nanos(LongAdder counter) {
        return counter.sum()
                + running.stream().mapToLong(each -> each.pending(counter)).sum();
    }

    /** One subscription. Its time goes to one counter at a time. */
    private final class Measured<T> implements CoreSubscriber<T>, Subscription {

        private final CoreSubscriber<? super T> actual;
        private final Counts counts;
        private final Object lock = new Object();

        @SuppressWarnings("NullAway.Init") // set before anything else is called
        private Subscription upstream;

        private long demand;
        private boolean receiving;
        private @Nullable LongAdder counter;
        private long since;

        Measured(CoreSubscriber<? super T> actual, Counts counts) {
            this.actual = actual;
            this.counts = counts;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            running.add(this);
            actual.onSubscribe(this);
        }

        @Override
        public void request(long n) {
            synchronized (lock) {
                demand = Operators.addCap(demand, n);
                if (!receiving && running.contains(this)) {
                    count(counts.waited);
                }
            }
            upstream.request(n);
        }

        @Override
        public void onNext(T batch) {
            counts.batches.increment();
            synchronized (lock) {
                demand -= demand == Long.MAX_VALUE ? 0 : 1;
                receiving = true;
                count(counts.used);
            }
            actual.onNext(batch);
            synchronized (lock) {
                receiving = false;
                if (demand > 0 && running.contains(this)) {
                    count(counts.waited);
                }
            }
        }

        @Override
        public void onError(Throwable failure) {
            end();
            actual.onError(failure);
        }

        @Override
        public void onComplete() {
            end();
            actual.onComplete();
        }

        @Override
        public void cancel() {
            end();
            upstream.cancel();
        }

        private void end() {
            synchronized (lock) {
                running.remove(this);
                count(null);
            }
        }

        /** From now on, time goes to this counter. */
        private void count(@Nullable LongAdder next) {
            long now = nanoClock.getAsLong();
            if (counter != null) {
                counter.add(now - since);
            }
            counter = next;
            since = now;
        }

        /** What is not in the counter yet. */
        long pending(LongAdder asked) {
            synchronized (lock) {
                return counter == asked ? nanoClock.getAsLong() - since : 0;
            }
        }
    }
}
