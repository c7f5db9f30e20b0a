package io.penstock.pipeline;

import io.penstock.fault.SampleException;
import io.penstock.internal.Begun;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Notice;
import io.penstock.internal.StageMeter;
import io.penstock.internal.Substitutes;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.stream.internal.OrderedMerge;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** A pipeline whose failing samples are retried, then skipped or replaced, within a budget. */
final class TolerantPipeline<T> extends Stage<T> {

    private static final Logger LOG = LoggerFactory.getLogger(TolerantPipeline.class);

    private final Stage<T> input;
    private final ErrorPolicy policy;
    private final long allowed;
    private final Set<Long> failed = new HashSet<>(); // guarded by itself
    private final boolean endless;
    private long failedOnce; // guarded by failed
    private final StageMeter skipped = new StageMeter();

    TolerantPipeline(Stage<T> input, ErrorPolicy policy) {
        // the policy is no part of the fingerprint: which samples fail is not known beforehand
        super(input.fingerprint(), input);
        this.input = input;
        this.policy = policy;
        this.allowed = policy.allowed(input.size());
        this.endless = input.size() == Long.MAX_VALUE;
    }

    @Override
    Object begin(Draw draw) {
        try {
            return tolerant(input.begin(draw), draw);
        } catch (SampleException e) {
            if (Thrown.isTolerable(e)) {
                return retried(draw, e);
            }
            throw e;
        }
    }

    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        beginAll(input::beginAll, draws, begun);
    }

    @Override
    OrderedMerge.@Nullable Lending lending() {
        OrderedMerge.Lending views = input.lending();
        return views == null
                ? null
                : new OrderedMerge.Lending((draws, begun) -> beginAll(views.loader(), draws, begun), views.lost());
    }

    private void beginAll(OrderedMerge.Loader loader, Draw[] draws, Object[] begun) {
        loader.beginAll(draws, begun);
        for (int i = 0; i < draws.length; i++) {
            begun[i] = begun[i] instanceof Begun.Failed failure && Thrown.isTolerable(failure.cause())
                    ? retried(draws[i], failure.cause())
                    : tolerant(begun[i], draws[i]);
        }
    }

    private Object tolerant(Object begun, Draw draw) {
        return begun instanceof Mono<?>
                ? Begun.<T>toMono(begun).onErrorResume(Thrown::isTolerable, e -> retried(draw, e))
                : begun;
    }

    private Mono<T> retried(Draw draw, Throwable first) {
        if (policy.retries == 0) {
            return givenUp(draw, first);
        }
        Mono<T> again = input.load(draw);
        Mono<T> rest = policy.retries == 1
                ? again
                : again.retryWhen(Retry.backoff(policy.retries - 1L, policy.backoff.multipliedBy(2))
                        .maxBackoff(ErrorPolicy.LONGEST_BACKOFF)
                        .filter(Thrown::isTolerable)
                        .onRetryExhaustedThrow((spec, signal) -> signal.failure()));
        return Mono.delay(policy.backoff).then(rest).onErrorResume(Thrown::isTolerable, last -> givenUp(draw, last));
    }

    private Mono<T> givenUp(Draw draw, Throwable failure) {
        return switch (policy.outcome) {
            case FAIL -> Mono.error(failure);
            case SKIP -> recorded(draw, failure).then(Mono.fromRunnable(() -> skipped.count(draw)));
            case SUBSTITUTE -> recorded(draw, failure).then(substitute(draw, 1));
        };
    }

    /** Counts a failure against the budget, and reports it the first time the sample fails. */
    private Mono<Void> recorded(Draw draw, Throwable tolerable) {
        SampleException failure = (SampleException) tolerable;
        long index = draw.index(); // not the failure's, which is that of a source: there may be several
        boolean first;
        synchronized (failed) {
            if (failed.contains(index)) {
                return Mono.empty();
            }
            if (failed.size() + failedOnce >= allowed) {
                return Mono.error(SampleException.overBudget(allowed, failure));
            }
            first = failed.isEmpty() && failedOnce == 0;
            if (endless) {
                failedOnce++; // no sample comes again, and the set would grow without end
            } else {
                failed.add(index);
            }
        }
        if (first && !policy.isWatched()) {
            Notice.warn(
                    LOG,
                    "a sample cannot be loaded and is {}, the stream goes on; others are counted: {}",
                    policy.outcome == ErrorPolicy.Action.SKIP ? "left out" : "replaced by another",
                    failure.getMessage());
        }
        return Mono.<Void>fromRunnable(Thrown.runnable(() -> policy.quarantine.accept(failure)))
                .subscribeOn(GuardedScheduler.ELASTIC);
    }

    private Mono<T> substitute(Draw draw, int attempt) {
        Draw other = Substitutes.of(draw, attempt, size());
        return input.load(other)
                .onErrorResume(
                        Thrown::isTolerable,
                        e -> recorded(other, e)
                                .then(attempt < Substitutes.MAX ? substitute(draw, attempt + 1) : Mono.error(e)));
    }

    @Override
    void report(RunStatistics.Tally tally) {
        super.report(tally);
        tally.skipped(skipped);
    }

    @Override
    public String toString() {
        return input + "\non error " + policy;
    }
}
