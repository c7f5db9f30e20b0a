package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.internal.CounterRandom;
import io.penstock.order.internal.Mixing;
import java.nio.ByteBuffer;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** One or several stages as a single function of (value, draw): neighbouring stages run in one call, without a hop. */
interface Step<A, B> {

    /** How often a stage is run again before it counts as deterministic. */
    int AGAIN = 3;

    B apply(A value, Draw draw);

    /** What the stage adds to a fingerprint. */
    Fingerprint fingerprint();

    void report(RunStatistics.Tally tally);

    /**
     * The name of the last stage that gives different results when it is run again on one and the same input; null if
     * none was seen to. Only the end of the chain can be compared, so each stage is run again with all that follow it,
     * the last ones first.
     * @param finish what follows, down to bytes
     */
    @Nullable String unsteady(A input, Draw draw, Function<? super B, ByteBuffer> finish);

    default <C> Step<A, C> then(Step<B, C> next) {
        return new Both<>(this, next, fingerprint().with(next.fingerprint()));
    }

    static <A, B> Step<A, B> map(String stage, Function<? super A, ? extends B> fn, LongFunction<String> names) {
        return new Named<>("map", stage, (value, draw) -> fn.apply(value), names);
    }

    static <A> Step<A, A> augment(String stage, RandomTransform<A> transform, LongFunction<String> names) {
        long hash = Mixing.hash(stage);
        return new Named<>("augment", stage, (value, draw) -> transform.apply(value, CounterRandom.of(draw.seed(), draw.epoch(), draw.index(), hash)), names);
    }

    /** Two steps, one after the other. */
    record Both<A, B, C>(Step<A, B> first, Step<B, C> second, Fingerprint fingerprint) implements Step<A, C> {
        @Override
        public C apply(A value, Draw draw) {
            return second.apply(first.apply(value, draw), draw);
        }

        @Override
        public @Nullable String unsteady(A input, Draw draw, Function<? super C, ByteBuffer> finish) {
            String found = second.unsteady(first.apply(input, draw), draw, finish);
            return found != null
                    ? found
                    : first.unsteady(input, draw, between -> finish.apply(second.apply(between, draw)));
        }

        @Override
        public void report(RunStatistics.Tally tally) {
            first.report(tally);
            second.report(tally);
        }

        @Override
        public String toString() {
            return first + "\n" + second;
        }
    }

    /** A stage of the user's: named, timed, and with a place in its errors. */
    final class Named<A, B> implements Step<A, B> {

        private final String verb;
        private final String stage;
        private final StageFunction<A, B> fn;
        private final LongFunction<String> names;
        private final Fingerprint fingerprint;
        private final StageMeter meter = new StageMeter();

        @FunctionalInterface
        interface StageFunction<A, B> {
            B apply(A value, Draw draw);
        }

        Named(String verb, String stage, StageFunction<A, B> fn, LongFunction<String> names) {
            if (stage.isBlank()) {
                throw new IllegalArgumentException("a stage needs a name: it is part of the cache key");
            }
            this.verb = verb;
            this.stage = stage;
            this.fn = fn;
            this.names = names;
            this.fingerprint = Fingerprint.of(verb + " " + stage);
        }

        @Override
        public B apply(A value, Draw draw) {
            long started = meter.start(draw);
            B result;
            try {
                result = fn.apply(value, draw);
                if (result == null) {
                    throw new NullPointerException("the stage returned null; throw to refuse a sample");
                }
            } catch (Throwable e) {
                throw Thrown.ofSample(stage, draw, names, e);
            }
            meter.stop(draw, started);
            return result;
        }

        @Override
        public @Nullable String unsteady(A input, Draw draw, Function<? super B, ByteBuffer> finish) {
            ByteBuffer once = finish.apply(apply(input, draw));
            for (int again = 0; again < AGAIN; again++) {
                if (!finish.apply(apply(input, draw)).equals(once)) {
                    return stage;
                }
            }
            return null;
        }

        @Override
        public Fingerprint fingerprint() {
            return fingerprint;
        }

        @Override
        public void report(RunStatistics.Tally tally) {
            tally.stage(stage, meter);
        }

        @Override
        public String toString() {
            return verb + " \"" + stage + "\"";
        }
    }
}
