package io.penstock.pipeline;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** A pipeline whose failing samples are retried, then skipped or replaced, within a budget. */
final class TolerantPipeline<T> extends Stage<T, T> implements Pipeline<T> {

    private final ErrorPolicy policy;
    private final long allowed;
    private final Set<Long> failed = ConcurrentHashMap.newKeySet();
    private final Meter skipped = new Meter();

    TolerantPipeline(Node<T> base, ErrorPolicy policy) {
        // the policy is no part of the fingerprint: which samples fail is not known beforehand
        super(base, base.pipeline().fingerprint());
        this.policy = policy;
        this.allowed = policy.allowed(base.pipeline().size());
    }

    @Override
    public Object begin(Draw draw) {
        try {
            return tolerant(base.begin(draw), draw);
        } catch (SampleException e) {
            return retried(draw, e);
        }
    }

    @Override
    public void beginAll(Draw[] draws, Object[] begun) {
        base.beginAll(draws, begun);
        for (int i = 0; i < draws.length; i++) {
            begun[i] = begun[i] instanceof Failure failure && failure.cause() instanceof SampleException e
                    ? retried(draws[i], e)
                    : tolerant(begun[i], draws[i]);
        }
    }

    private Object tolerant(Object begun, Draw draw) {
        return begun instanceof Mono<?>
                ? Node.<T>toMono(begun).onErrorResume(SampleException.class, e -> retried(draw, e))
                : begun;
    }

    private Mono<T> retried(Draw draw, SampleException first) {
        if (policy.retries() == 0) {
            return givenUp(draw, first);
        }
        Mono<T> again = base.deferred(draw);
        Mono<T> rest = policy.retries() == 1
                ? again
                : again.retryWhen(
                        Retry.backoff(policy.retries() - 1L, policy.backoff().multipliedBy(2))
                                .filter(SampleException.class::isInstance)
                                .onRetryExhaustedThrow((spec, signal) -> signal.failure()));
        return Mono.delay(policy.backoff())
                .then(rest)
                .onErrorResume(SampleException.class, last -> givenUp(draw, last));
    }

    private Mono<T> givenUp(Draw draw, SampleException failure) {
        return switch (policy.outcome()) {
            case FAIL -> Mono.error(failure);
            case SKIP -> recorded(failure).then(Mono.fromRunnable(() -> skipped.count(draw)));
            case SUBSTITUTE -> recorded(failure).then(substitute(draw, 1));
        };
    }

    /** Counts a failure against the budget, and reports it the first time the sample fails. */
    private Mono<Void> recorded(SampleException failure) {
        if (failed.contains(failure.index())) {
            return Mono.empty();
        }
        synchronized (failed) {
            if (failed.size() >= allowed) {
                return Mono.error(SampleException.overBudget(allowed, failure));
            }
            failed.add(failure.index());
        }
        return Mono.<Void>fromRunnable(() -> policy.quarantine().accept(failure))
                .subscribeOn(Schedulers.boundedElastic());
    }

    private Mono<T> substitute(Draw draw, int attempt) {
        return base.deferred(ErrorPolicy.substituteFor(draw, attempt, size()))
                .onErrorResume(
                        SampleException.class,
                        e -> recorded(e)
                                .then(
                                        attempt < ErrorPolicy.SUBSTITUTES
                                                ? substitute(draw, attempt + 1)
                                                : Mono.error(e)));
    }

    @Override
    public void report(RunStatistics.Tally tally) {
        super.report(tally);
        tally.skipped(skipped);
    }

    @Override
    public String toString() {
        return base + "\non error " + policy;
    }
}
